/* pleat/io.h: files in and out. Part of libpleat_io, which needs jansson, libpng and libmeshoptimizer; the core
 * does not.
 *
 * Reading: any file may be hostile. Every count, offset and index is checked before use and before memory is asked for;
 * a failure names the file, the JSON path or byte offset, the value, and what was expected.
 * Writing: a file appears whole under its name or not at all (written beside, synced, renamed on commit). */
#ifndef PLEAT_IO_H
#define PLEAT_IO_H

#include "pleat/io/asset.h"
#include "pleat/io/cache.h"
#include "pleat/io/file.h"
#include "pleat/io/gltf.h"
#include "pleat/io/image.h"

#endif
