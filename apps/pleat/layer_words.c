#include "layer_words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *length_text(double metres)
{
    static char slots[8][32];
    static uint32_t next;
    char *out = slots[next++ % 8];
    bool large = fabs(metres) >= 1;
    snprintf(out, sizeof slots[0], "%.3g %s", large ? metres : 1e3 * metres, large ? "m" : "mm");
    return out;
}

/* 0 where the layer has no such figure. */
static double figure(const report_layer *layer, const char *name)
{
    for (uint32_t i = 0; i < layer->figure_count; ++i)
    {
        if (strcmp(layer->names[i], name) == 0)
        {
            return layer->largest[i];
        }
    }
    return 0;
}

static void print_folds(const report_layer *layer)
{
    if (!(figure(layer, "rings") > 0))
    {
        printf(" none; no joint that may fold bends enough, or no ring around it was found\n");
    }
    else if (!(figure(layer, "raised") > 0))
    {
        printf(" none; no length is lost where they may rise (%s wide)\n", length_text(figure(layer, "width")));
    }
    else
    {
        double rings = figure(layer, "rings");
        printf(" %.0f around %.0f joint%s, %s wide, up to %s high\n", figure(layer, "ridges"), rings,
               rings == 1 ? "" : "s", length_text(figure(layer, "width")), length_text(figure(layer, "highest")));
    }
}

static void print_volume(const report_layer *layer)
{
    if (!(figure(layer, "shells") > 0))
    {
        printf(" not kept; no part of it encloses any\n");
        return;
    }
    printf(" up to %.2g %% lost, at most %.2g %% afterwards; the farthest move is %s\n", 100 * figure(layer, "lost"),
           100 * figure(layer, "error"), length_text(figure(layer, "highest")));
}

static void print_wrinkles(const report_layer *layer)
{
    if (!(figure(layer, "wrinkles") > 0))
    {
        printf(" none; nothing is compressed enough\n");
        return;
    }
    printf(" up to %.0f at a time, up to %s high\n", figure(layer, "wrinkles"), length_text(figure(layer, "highest")));
}

static void print_all(const report_layer *layer)
{
    printf(" at most");
    for (uint32_t i = 0; i < layer->figure_count; ++i)
    {
        printf("%s %s %.4g", i ? "," : "", layer->names[i], layer->largest[i]);
    }
    printf("\n");
}

void print_layer(const report_layer *layer)
{
    static const struct
    {
        const char *layer;
        void (*print)(const report_layer *layer);
    } known[] = {{"folds", print_folds}, {"volume", print_volume}, {"wrinkles", print_wrinkles}};
    if (layer->figure_count == 0)
    {
        return;
    }
    printf("  %s of %s:", layer->layer, layer->node);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i)
    {
        if (strcmp(layer->layer, known[i].layer) == 0)
        {
            known[i].print(layer);
            return;
        }
    }
    print_all(layer);
}
