/* Words in names that speak of cloth, or of something else. */
#ifndef PL_GARMENT_WORDS_H
#define PL_GARMENT_WORDS_H

#include "pleat/base.h"

enum
{
    PL_WORD_SIZE = 32 /* bytes of the longest word, and a 0 */
};

typedef enum pl_word_verdict
{
    PL_WORD_NONE,
    PL_WORD_CLOTH,
    PL_WORD_OTHER
} pl_word_verdict;

/* The last telling word of a name decides ("bodysuit" and "Body_Suit" are suits, "Outfit_Footwear" is shoes), the
 * longer of two that end together. word receives it. */
pl_word_verdict pl_garment_word(const char *name, char word[PL_WORD_SIZE]);

#endif
