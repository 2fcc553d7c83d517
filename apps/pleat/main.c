#include "pleat/program.h"

int main(int argc, char **argv)
{
    return pleat_program(argc, argv);
}
