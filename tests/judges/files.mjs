// The Khronos validator over every kind of glTF that pleat writes: files.mjs PLEAT FOLDER
// The built-in characters themselves, and bakes of them and of the shared characters: no error, no warning that the input
// does not have.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));
if (!existsSync(path.join(here, '../node_modules/gltf-validator'))) {
  console.log('skipped: no gltf-validator in tests/node_modules; npm ci in tests/ installs it');
  process.exit(77);
}
const { newIssues, tell } = await import('../validate.mjs');

const [pleat, outputs] = process.argv.slice(2).map((name) => path.resolve(name));
const folder = path.join(outputs, 'files');
mkdirSync(folder, { recursive: true });

const data = process.env.PLEAT_DATA ?? path.join(here, '../../../shared/data');
const shared = [
  'khr_rigged_simple/RiggedSimple.glb', 'khr_cesium_man/CesiumMan.glb', 'mh_arm/mh_sleeve.glb',
  'webxr_hand/webxr_hand_left_curl.glb', 'webxr_hand/webxr_hand_left_orig.glb',
  'mh_salsa_sportsuit/mh_salsa_sportsuit.glb', 'mh_modern_leotard/mh_modern_leotard.glb',
  'mh_fat_male_worksuit/mh_fat_male_worksuit.glb', 'quat_knight/KnightCharacter.glb',
  'cwf_twist_cylinder/twist_cylinder_morph.glb', 'gen_coarse_skirt_sim/coarse_skirt_sim.glb',
];
// The last argument says which: a few of every kind, or the others.
const long = process.argv[4] === 'long';
const few = new Set(['arm.glb', 'hand.glb', 'rectangle.glb', 'CesiumMan.glb', 'mh_sleeve.glb', 'webxr_hand_left_curl.glb',
  'KnightCharacter.glb', 'twist_cylinder_morph.glb']);
const wanted = (name) => few.has(path.basename(name)) !== long;
const builtIn = readdirSync(path.join(outputs, 'characters')).filter((name) => name.endsWith('.glb')).sort();
// How each file is baked; few frames, since every frame gives the same kinds of data.
const ways = [
  ['lbs.glb', '--layer', 'none', '--skin', 'lbs', '--fps', '3'],
  ['dqs.gltf', '--layer', 'none', '--skin', 'dqs', '--fps', '3'],
  ['stretch.glb', '--layer', 'none', '--fps', '3', '--stretch', 'most', '--stretch-color', 'tensor'],
  ['small.glb', '--layer', 'none', '--skin', 'dqs', '--fps', '3', '--targets', '4', '--no-normals'],
];
const folds = ['folds.glb', '--fps', '2', '--stretch', '1', '--stretch-color', 'area'];

async function judge(name, input, ownInput, bakes) {
  const found = [];
  if (ownInput) {
    found.push(...(await newIssues(input, null)).map((issue) => tell(input, issue)));
  }
  for (const [ending, ...options] of bakes) {
    const out = path.join(folder, `${name}_${ending}`);
    const done = spawnSync(pleat, ['bake', input, '-o', out, '--quiet', ...options], { encoding: 'utf8' });
    if (done.status === 0) {
      found.push(...(await newIssues(out, ownInput ? null : input)).map((issue) => tell(out, issue)));
    } else {
      found.push(`pleat bake ${options.join(' ')}: ${done.stderr}`);
    }
  }
  console.log(`  ${name.padEnd(26)} ${String(bakes.length + (ownInput ? 1 : 0)).padStart(5)} ${String(found.length).padStart(6)}`);
  found.slice(0, 10).forEach((line) => console.log(`    ${line}`));
  console.log(found.length ? `[  FAILED  ] files_${name}` : `[       OK ] files_${name}`);
  return found.length ? 1 : 0;
}

// The meshes that lie beside maps: new texture coordinates, the coarse mesh of a frame, the mesh of vertex textures.
async function judgeMaps(name, input, ownInput) {
  const out = path.join(folder, `${name}_maps`);
  const done = spawnSync(
    pleat,
    ['maps', input, '-o', out, '--quiet', '--size', '128', '--atlas', '--coarse', '--map', 'normal', '--map', 'vat', '--frames', '1-2'],
    { encoding: 'utf8' },
  );
  const found = done.status === 0 ? [] : [`pleat maps ${input}: ${done.stderr}`];
  const files = done.status === 0 ? readdirSync(out).filter((file) => file.endsWith('.glb')) : [];
  for (const file of files) {
    const made = path.join(out, file);
    const before = file === 'mesh.glb' && !ownInput ? input : null;
    found.push(...(await newIssues(made, before)).map((issue) => tell(made, issue)));
  }
  if (done.status === 0 && files.length < 4) found.push(`only ${files.join(', ')}`);
  console.log(`  ${`${name} maps`.padEnd(26)} ${String(files.length).padStart(5)} ${String(found.length).padStart(6)}`);
  found.slice(0, 10).forEach((line) => console.log(`    ${line}`));
  console.log(found.length ? `[  FAILED  ] files_maps_${name}` : `[       OK ] files_maps_${name}`);
  return found.length ? 1 : 0;
}

console.log(`  ${'file'.padEnd(26)} ${'files'.padStart(5)} ${'faults'.padStart(6)}`);
let failed = 0;
failed += long ? 0 : await judgeMaps('arm', path.join(outputs, 'characters', 'arm.glb'), true);
for (const name of ['khr_cesium_man/CesiumMan.glb', 'quat_knight/KnightCharacter.glb']) {
  if (long && existsSync(path.join(data, name))) failed += await judgeMaps(path.basename(name, '.glb'), path.join(data, name), false);
}
for (const name of builtIn.filter(wanted)) {
  const bakes = name === 'arm.glb' ? [...ways, folds] : ways;
  failed += await judge(path.basename(name, '.glb'), path.join(outputs, 'characters', name), true, bakes);
}
for (const name of shared.filter(wanted)) {
  const input = path.join(data, name);
  const stem = path.basename(name, '.glb');
  if (existsSync(input)) {
    failed += await judge(stem, input, false, stem === 'mh_sleeve' ? [...ways, folds] : ways);
  } else {
    console.log(`skipped: no ${name} in the shared data`);
    console.log(`[  SKIPPED ] files_${stem}`);
  }
}

// What three.js makes of the attributes of a bake with --stretch.
async function judgeAttributes(file) {
  globalThis.self = globalThis; // the loader looks for a browser's
  const { GLTFLoader } = await import('three/examples/jsm/loaders/GLTFLoader.js');
  const bytes = readFileSync(file);
  const scene = await new GLTFLoader().parseAsync(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length), '');
  const widths = { _compression: 1, _compression_direction: 3, _stretch: 1, _stretch_direction: 3, color: 3 };
  let meshes = 0;
  let fine = true;
  scene.scene.traverse((object) => {
    if (object.isMesh) {
      meshes += 1;
      const { attributes } = object.geometry;
      fine &&= Object.entries(widths).every(([name, width]) =>
        attributes[name]?.itemSize === width && attributes[name].count === attributes.position.count);
    }
  });
  console.log(meshes && fine ? '[       OK ] files_attributes' : '[  FAILED  ] files_attributes');
  return meshes && fine ? 0 : 1;
}
if (long) {
  // arm_stretch.glb is of the others.
} else if (existsSync(path.join(here, '../node_modules/three'))) {
  failed += await judgeAttributes(path.join(folder, 'arm_stretch.glb'));
} else {
  console.log('skipped: no three in tests/node_modules; npm ci in tests/ installs it');
  console.log('[  SKIPPED ] files_attributes');
}
process.exit(failed ? 1 : 0);
