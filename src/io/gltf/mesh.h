/* What the readers of vertex attributes share. */
#ifndef PL_IO_GLTF_MESH_H
#define PL_IO_GLTF_MESH_H

#include "io/gltf/gltf.h"

/* The accessor of an attribute, or NULL where there is none. widths has bit w set for each number of components that
 * fits; vertex_count is what the accessor must have, or 0 for any. */
pleat_result pl_gltf_attribute(pl_gltf *g, json_t *attributes, const char *name, const char *place, uint32_t widths,
                               uint32_t vertex_count, uint32_t *index, pl_gltf_accessor **out);

/* JOINTS_n and WEIGHTS_n into primitive, for skins of at least joint_count joints. */
pleat_result pl_gltf_read_influences(pl_gltf *g, json_t *attributes, const char *place, uint32_t joint_count,
                                     pleat_primitive *primitive);

#endif
