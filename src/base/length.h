/* Lengths for people to read. */
#ifndef PL_BASE_LENGTH_H
#define PL_BASE_LENGTH_H

enum
{
    PL_LENGTH_TEXT = 32 /* bytes of such a text, with its 0 */
};

/* In millimetres, from a metre on in metres: "3.2 mm". */
void pl_length_text(double metres, char out[PL_LENGTH_TEXT]);

#endif
