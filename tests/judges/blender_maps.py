"""What Blender makes of maps: blender -b --factory-startup --python blender_maps.py -- PLEAT FOLDER [PICTURES]

The coarse mesh of a frame (pleat maps --coarse) is subdivided without smoothing and moved by Blender's displace modifier:
  vector   by the vector map, red, green and blue to x, y and z
  height   by the height map along the mesh's own normals
Each vertex that comes out is held against the surface that pleat bake writes for the frame. With PICTURES, a folder, it
also draws the coarse mesh alone and with maps beside the geometry. Those maps are of a surface that is subdivided
everywhere (--level 2): where nothing folds, the surface has the facets of the input otherwise, and a mesh that is
displaced to it shows them, since its normals are computed anew.
"""
import os
import subprocess
import sys

import numpy

numpy.bool = bool  # Blender 3.4's importer uses a name that numpy took away
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import bpy
import mathutils
from mathutils.bvhtree import BVHTree

import cases

TO_GLTF = mathutils.Matrix(((1, 0, 0, 0), (0, 0, 1, 0), (0, -1, 0, 0), (0, 0, 0, 1)))
LEVELS = 4
KINDS = (("height", "CUSTOM_NORMAL"), ("vector", "RGB_TO_XYZ"))

# Centre, direction to look from and width of the pictures, in metres and glTF's axes.
LEOTARD = ((-0.04, 0.81, 0.18), (0.35, 0.25, 1), 0.47)


def run_maps(pleat, file, folder, *arguments):
    command = [pleat, "maps", file, "-o", folder, "--quiet", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"exit {done.returncode} of {' '.join(command)}: {done.stderr.strip()}")
    return cases.read_sidecar(os.path.join(folder, "maps.json"))["maps"][0]


def read_triangles(path):
    with open(path, encoding="utf-8") as file:
        rows = [line.split()[1:4] for line in file if line.startswith("f ")]
    return [[int(corner.split("/")[0]) - 1 for corner in row] for row in rows]


def load_image(path):
    image = bpy.data.images.load(path)
    image.colorspace_settings.name = "Non-Color"
    return image


def import_coarse(path):
    """The coarse mesh, with its data in glTF's axes: displacements are. One vertex on both sides of a seam: no cracks."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    cases.quietly(bpy.ops.import_scene.gltf, filepath=path, merge_vertices=True)
    thing = next(o for o in bpy.data.objects if o.type == "MESH")
    # What turns the data must turn its normals: they are kept per corner.
    mesh = thing.data
    mesh.calc_normals_split()
    normals = [TO_GLTF.to_3x3() @ loop.normal for loop in mesh.loops]
    mesh.transform(TO_GLTF)
    mesh.use_auto_smooth = True
    mesh.normals_split_custom_set(normals)
    thing.matrix_world = TO_GLTF.inverted()
    return thing


def displace(thing, image, encoded, direction):
    """Subdivision without smoothing, and the displace modifier; the points that come out, in glTF's axes."""
    finer = thing.modifiers.new("finer", "SUBSURF")
    finer.subdivision_type, finer.levels, finer.render_levels = "SIMPLE", LEVELS, LEVELS
    finer.use_custom_normals = True
    texture = bpy.data.textures.new("map", "IMAGE")
    texture.image, texture.extension = image, "EXTEND"
    texture.use_mipmap, texture.filter_type, texture.filter_size = False, "BOX", 0.1
    modifier = thing.modifiers.new("displace", "DISPLACE")
    modifier.texture, modifier.texture_coords, modifier.direction = texture, "UV", direction
    modifier.space = "LOCAL"
    modifier.strength, modifier.mid_level = encoded["scale"], encoded["midlevel"]
    return points_of(thing)


def points_of(thing):
    posed = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = posed.to_mesh()
    flat = numpy.empty(3 * len(mesh.vertices), numpy.float32)
    mesh.vertices.foreach_get("co", flat)
    posed.to_mesh_clear()
    return flat.reshape(-1, 3)


# ---- Pictures -------------------------------------------------------------------------------------------------------

SIZE = 420


def draw(view, path):
    """The mesh of the scene, by Workbench; view: centre, direction and width in glTF's axes. Its pixels, from the top."""
    scene = bpy.context.scene
    centre, way, width = view
    turn = TO_GLTF.inverted().to_3x3()
    camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    camera.data.type, camera.data.ortho_scale = "ORTHO", width
    way = (turn @ mathutils.Vector(way)).normalized()
    camera.location = turn @ mathutils.Vector(centre) + 3 * way
    camera.rotation_euler = way.to_track_quat("Z", "Y").to_euler()
    scene.collection.objects.link(camera)
    scene.camera = camera
    scene.render.engine, scene.render.resolution_x, scene.render.resolution_y = "BLENDER_WORKBENCH", SIZE, SIZE
    scene.display.shading.light, scene.display.shading.color_type = "STUDIO", "SINGLE"
    scene.display.shading.single_color = (0.9, 0.92, 1)
    scene.world = bpy.data.worlds.new("white")
    scene.world.color, scene.display.shading.background_type = (1, 1, 1), "WORLD"
    scene.view_settings.view_transform = "Standard"
    scene.render.filepath = path
    cases.quietly(bpy.ops.render.render, write_still=True)
    image = bpy.data.images.load(path)
    pixels = numpy.empty(4 * SIZE * SIZE, numpy.float32)
    image.pixels.foreach_get(pixels)
    return pixels.reshape(SIZE, SIZE, 4)


def smooth(thing):
    thing.data.use_auto_smooth = False
    thing.data.polygons.foreach_set("use_smooth", [True] * len(thing.data.polygons))


def draw_all(folder, maps, points, triangles, view, path):
    """Coarse mesh, coarse mesh with height map, with vector map, geometry: side by side, by one camera and light."""
    entry = maps["frames"][0]
    scratch = os.path.join(folder, "panel.png")
    panels = []
    for kind, direction in ((None, None), *KINDS):
        coarse = import_coarse(os.path.join(folder, entry["coarse"]))
        if kind:
            displace(coarse, load_image(os.path.join(folder, entry[kind])), maps[kind], direction)
        smooth(coarse)
        panels.append(draw(view, scratch))
    bpy.ops.wm.read_factory_settings(use_empty=True)
    mesh = bpy.data.meshes.new("geometry")
    mesh.from_pydata(points.tolist(), [], triangles)
    geometry = bpy.data.objects.new("geometry", mesh)
    bpy.context.scene.collection.objects.link(geometry)
    geometry.matrix_world = TO_GLTF.inverted()
    smooth(geometry)
    panels.append(draw(view, scratch))
    image = bpy.data.images.new("panels", SIZE * len(panels), SIZE)
    image.pixels.foreach_set(numpy.concatenate(panels, axis=1).ravel())
    image.filepath_raw, image.file_format = path, "PNG"
    image.save()


# ---- Cases ----------------------------------------------------------------------------------------------------------


def make(pleat, file, folder, stack, options):
    """Maps of a frame, and the points and triangles of its surface."""
    maps = run_maps(pleat, file, folder, "--coarse", "--map", "vector", "--space", "world", "--map", "height", *stack,
                    *options)
    out = os.path.join(folder, "frame")
    cases.bake(pleat, file, "-o", out + ".pc2", *stack)
    return maps, cases.read_pc2(out + ".pc2")[0], read_triangles(out + ".rest.obj")


def judge(pleat, file, folder, name, stack, options):
    maps, geometry, triangles = make(pleat, file, folder, stack, options)
    surface = BVHTree.FromPolygons(geometry.tolist(), triangles)
    entry = maps["frames"][0]
    largest = max(abs(maps["height"]["low"]), abs(maps["height"]["high"]))
    failures = []
    # Where folds touch or hang over, some lines along normals pass them by: no height is right there.
    least = {"vector": 0.999, "height": 0.99}
    for kind, direction in KINDS:
        thing = import_coarse(os.path.join(folder, entry["coarse"]))
        before = points_of(thing)
        points = displace(thing, load_image(os.path.join(folder, entry[kind])), maps[kind], direction)
        chosen = points[:: max(len(points) // 20000, 1)]
        distances = numpy.array([surface.find_nearest(point)[3] for point in chosen.tolist()]) / largest
        plain = numpy.array([surface.find_nearest(point)[3] for point in before.tolist()]).max() / largest
        within = (distances <= 0.02).mean()
        print(f"  {name:10} {kind:7} {len(points):8} vertices, {100 * within:6.2f} % within 2 % of {1000 * largest:.1f} mm, worst "
              f"{100 * distances.max():5.1f} % (the coarse mesh alone {100 * plain:.0f} %)")
        if not within >= least[kind]:
            failures.append(f"{kind}: only {100 * within:.2f} % of Blender's vertices are within 2 %")
        if not plain > 0.2:
            failures.append("the coarse mesh is the surface already: nothing was judged")
    if failures:
        raise AssertionError("; ".join(failures))


def main():
    given = sys.argv[sys.argv.index("--") + 1 :]
    pleat, outputs = map(os.path.abspath, given[:2])
    pictures = os.path.abspath(given[2]) if len(given) > 2 else None
    folder = os.path.join(outputs, "blender_maps")
    os.makedirs(folder, exist_ok=True)
    files = {cases.stem(file): file for file in cases.built_in(outputs)}
    all_cases = cases.Cases()

    def sleeve():
        judge(pleat, cases.data("mh_arm/mh_sleeve.glb"), folder, "sleeve", ["--layer", "folds", "--frames", "25"],
              ["--size", "1024"])

    leotard = files["dancer"]
    squat = ["--layer", "folds", "--garment", "leotard", "--clip", "squat", "--frames", "45"]
    all_cases.run("blender_maps_sleeve", sleeve)
    all_cases.run("blender_maps_leotard", judge, pleat, leotard, folder, "leotard", squat, ["--atlas"])
    if pictures:
        draw_all(folder, *make(pleat, leotard, folder, [*squat, "--refine", "loop", "--level", "2"], ["--atlas"]), LEOTARD,
                 os.path.join(pictures, "maps_blender_leotard.png"))
    all_cases.end()


main()
