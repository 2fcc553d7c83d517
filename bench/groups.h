/* The groups of the bench, in the order of the table: GROUP(name) calls bench_name. The bake goes first: the largest
 * resident size of a child starts from its parent's, which must still be small. Embree goes last: its threads go on
 * after it and would take the second core from others. */
GROUP(bake)
GROUP(skin)
GROUP(loop)
GROUP(wrinkles)
GROUP(cloth)
GROUP(volume)
GROUP(implicit)
GROUP(live)
GROUP(maps)
GROUP(folds)
GROUP(bvh)
