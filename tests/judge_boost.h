/* Boost as the judge of maximum flows. */
#ifndef PLEAT_JUDGE_BOOST_H
#define PLEAT_JUDGE_BOOST_H

#include <stdint.h>

#ifdef __cplusplus
extern "C"
{
#endif

    typedef struct judge_link
    {
        uint32_t a, b;
        int32_t forth, back;
    } judge_link;

    /* terminals: per node, room from the source, or below 0 to the sink. By push-relabel, not by search trees. */
    int64_t judge_boost_flow(uint32_t node_count, const int32_t *terminals, uint32_t link_count,
                             const judge_link *links);

#ifdef __cplusplus
}
#endif

#endif
