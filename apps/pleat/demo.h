/* The parts of pleat demo: what is shown of each character (demo_shots.c), how it is baked, drawn and measured
 * (demo_run.c), and the page around it (demo_page.c). */
#ifndef APP_DEMO_H
#define APP_DEMO_H

#include "session.h"
#include "steps.h"

/* A picture, before and after side by side. */
typedef struct demo_shot
{
    const char *name;    /* of the file, behind the character's: dancer-back.png */
    const char *caption; /* a sentence */
    float moment;        /* 0..1 of the clip */
    float orbit, elevation;
    const char *focus; /* a joint to come near to, or NULL */
    float radius;      /* metres around it */
    bool strain;       /* the stretch as colours */
    bool wide;         /* takes the whole width of the page */
} demo_shot;

typedef struct demo_character
{
    const char *name, *clip;
    const char *title, *text; /* for the page */
    const char *targets;      /* of --targets */
    const demo_shot *shots;
    uint32_t shot_count;
    float film_orbit, film_elevation;
    uint32_t film_width; /* pixels; 16 by 9 */
    float film_end;      /* 0..1 of the clip: where the film ends */
} demo_character;

extern const demo_character demo_characters[];
extern const uint32_t demo_character_count;

/* A row of figures, formatted; the label is HTML. */
typedef struct demo_row
{
    char label[96], before[32], after[32];
} demo_row;

enum
{
    DEMO_ROWS = 16
};

/* What came of a character. */
typedef struct demo_result
{
    const demo_character *character;
    uint32_t clip_frames; /* of the whole clip */
    uint32_t frame_count; /* baked */
    uint32_t vertices;    /* after */
    double frame_ms;      /* median, of the whole stack */
    double highest;       /* fold, metres */
    uint32_t targets;
    double largest_error; /* of the glTF against the stack, metres */
    char bake_line[512];  /* as anybody could type it */
    bool drawn, filmed;   /* false: no graphics driver, no ffmpeg */
    demo_row rows[DEMO_ROWS];
    uint32_t row_count;
} demo_result;

typedef struct demo_job
{
    app_session *session;
    const char *folder;
    bool quick; /* small and short, to see that it works */
} demo_job;

/* Begins `pleat COMMAND FOLDER/NAME.glb` with the clip and folds of some detail. */
void demo_line(const demo_job *job, const demo_character *character, const char *command, uint32_t detail,
               step_line *line);
/* All frames of a clip, or a few in its middle. */
void demo_frames(const demo_job *job, uint32_t frame_count, uint32_t *first, uint32_t *last);

/* Writes everything of a character into the folder, and prints its measure table. Returns an exit status. */
int demo_run(const demo_job *job, const demo_character *character, demo_result *result);
/* Pictures and film. What is missing on this machine is said and left out. */
int demo_draw(const demo_job *job, demo_result *result);
/* Writes FOLDER/index.html. */
int demo_page(const demo_job *job, const demo_result *results, uint32_t count);

#endif
