/* The groups of the bench, in the order of the table: GROUP(name) calls bench_name. */
GROUP(bvh)
GROUP(skin)
GROUP(loop)
GROUP(bake)
GROUP(volume)
GROUP(maps)
GROUP(folds)
