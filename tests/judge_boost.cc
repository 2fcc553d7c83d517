#include "judge_boost.h"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/push_relabel_max_flow.hpp>

namespace
{

using traits = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>;
using graph = boost::adjacency_list<
    boost::vecS, boost::vecS, boost::directedS, boost::no_property,
    boost::property<boost::edge_capacity_t, int64_t,
                    boost::property<boost::edge_residual_capacity_t, int64_t,
                                    boost::property<boost::edge_reverse_t, traits::edge_descriptor>>>>;

void add(graph &g, uint32_t a, uint32_t b, int64_t forth, int64_t back)
{
    auto capacity = boost::get(boost::edge_capacity, g);
    auto reverse = boost::get(boost::edge_reverse, g);
    auto there = boost::add_edge(a, b, g).first, home = boost::add_edge(b, a, g).first;
    capacity[there] = forth;
    capacity[home] = back;
    reverse[there] = home;
    reverse[home] = there;
}

} // namespace

int64_t judge_boost_flow(uint32_t node_count, const int32_t *terminals, uint32_t link_count, const judge_link *links)
{
    graph g(node_count + 2);
    for (uint32_t i = 0; i < node_count; ++i)
    {
        if (terminals[i] > 0)
        {
            add(g, node_count, i, terminals[i], 0);
        }
        else if (terminals[i] < 0)
        {
            add(g, i, node_count + 1, -(int64_t)terminals[i], 0);
        }
    }
    for (uint32_t i = 0; i < link_count; ++i)
    {
        add(g, links[i].a, links[i].b, links[i].forth, links[i].back);
    }
    return boost::push_relabel_max_flow(g, node_count, node_count + 1);
}
