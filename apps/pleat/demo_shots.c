/* What the demo shows. */
#include "demo.h"

static const demo_shot dancer_shots[] = {
    {"back", "The arched back: the cloth over the spine is shorter than it was cut, so it folds.", 0.49f, 152, 10, NULL,
     0, false, true},
    {"front", "The same moment from the front, where the cloth is stretched and stays smooth.", 0.49f, 20, 6, NULL, 0,
     false, false},
    {"side", "From the side: the outline shows how high the folds rise.", 0.49f, 98, 6, NULL, 0, false, false},
    {"waist", "The waist from near.", 0.49f, 150, 8, "spine_1", 0.26f, false, false},
    {"elbow", "The elbow of a sleeve.", 0.25f, 20, 12, "left_lower_arm", 0.17f, false, false},
    {"strain", "Blue is compressed, red is stretched: folds take the blue from the back.", 0.49f, 152, 10, NULL, 0,
     true, true},
};

static const demo_shot arm_shots[] = {
    {"bend", "Bent by 90 degrees.", 0.3f, 0, 12, NULL, 0, false, false},
    {"inside", "The inside of the elbow.", 0.3f, 40, 18, "forearm", 0.12f, false, false},
    {"strain", "Blue is compressed, red is stretched.", 0.3f, 0, 12, NULL, 0, true, true},
};

const demo_character demo_characters[] = {
    {"dancer", "arabesque", "The dancer",
     "A leotard and tights, skinned as any game would, then with folds wherever "
     "the motion would have compressed the cloth.",
     "32", dancer_shots, sizeof dancer_shots / sizeof dancer_shots[0], 148, 8, 720, 1},
    {"arm", "bend", "The arm",
     "A sleeve on two bones, bent up to 150 degrees: the smallest case that shows what folds "
     "do. The lines along it show how much of their length comes back.",
     "32", arm_shots, sizeof arm_shots / sizeof arm_shots[0], 0, 12, 560, 0.5f},
};
const uint32_t demo_character_count = sizeof demo_characters / sizeof demo_characters[0];
