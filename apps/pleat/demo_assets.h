/* The built-in characters as files. */
#ifndef APP_DEMO_ASSETS_H
#define APP_DEMO_ASSETS_H

#include "session.h"

/* Makes a folder and those above it; one that is there already is fine. Returns an exit status. */
int make_folder(const app_session *session, const char *path);
/* Writes a character as FOLDER/NAME.glb. frames: of its clip of that name, at 30 a second. Returns an exit status. */
int write_character(app_session *session, const char *folder, const char *name, const char *clip, uint32_t *frames);
/* Writes all of them; simulated cloth also as FOLDER/NAME.pc2 with what lies beside it. Prints what it wrote. */
int write_characters(app_session *session, const char *folder);

#endif
