/* The program with one layer more: own_layer bake hero.glb -o out.glb --layer wave --set wave.height=2cm */
#include "pleat/program.h"
#include "wave.h"

#include <stdio.h>

int main(int argc, char **argv)
{
    pleat_error error;
    if (pleat_layer_register(&wave_layer, &error) != PLEAT_OK)
    {
        return fprintf(stderr, "%s\n", error.message), 1;
    }
    return pleat_program(argc, argv);
}
