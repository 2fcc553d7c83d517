#include "layer_words.h"

#include "base/length.h"

#include <stdio.h>

const char *length_text(double metres)
{
    static char slots[8][PL_LENGTH_TEXT];
    static uint32_t next;
    char *out = slots[next++ % 8];
    pl_length_text(metres, out);
    return out;
}

/* Where a layer has no words of its own: each figure, in its unit. */
static void print_all(const pleat_report_layer *layer)
{
    for (uint32_t i = 0; i < layer->type->figure_count; ++i)
    {
        const pleat_layer_figure *figure = &layer->type->figures[i];
        bool share = figure->unit[0] == '1';
        printf("%s %s %.4g%s%s", i ? "," : " at most", figure->name, (share ? 100 : 1) * layer->largest[i],
               figure->unit[0] ? " " : "", share ? "%" : figure->unit);
    }
    printf("\n");
}

void print_layer(const pleat_report_layer *layer)
{
    const pleat_layer_type *type = layer->type;
    if (layer->frame_count == 0 || type->figure_count == 0)
    {
        return;
    }
    printf("  %s of %s:", type->name, layer->node);
    if (type->tell)
    {
        char text[400];
        type->tell(layer->largest, text, sizeof text);
        printf(" %s\n", text);
        return;
    }
    print_all(layer);
}
