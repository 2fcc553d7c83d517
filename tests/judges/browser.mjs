// What three.js in Chromium makes of files: browser.mjs PLEAT FOLDER
//
// Serves the page browser.html on loopback; three.js poses each file at some times, with its own morph targets and
// skinning, and sends positions back, which are held against the point cache of the same bake:
//   skin   the input itself against pleat bake --skin lbs, at times between keys: within 1e-5 of the height
//   baked  the GLB of a bake with morph targets, each of its clips: within the error that the bake states
// Each file is also drawn; a blank picture, a missing file and every line on the console fail.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { answerFile, answerPage, findChromium, runPage } from './chromium.mjs';

const BOUND = 1e-5; // parts of the height
const FRAMES = 6;

const here = path.dirname(fileURLToPath(import.meta.url));
const [pleat, outputs] = process.argv.slice(2).map((name) => path.resolve(name));
const folder = path.join(outputs, 'browser');
mkdirSync(folder, { recursive: true });

// ---- Files ----------------------------------------------------------------------------------------------------------

const shared = (name) => path.join(process.env.PLEAT_DATA ?? path.join(here, '../../../shared/data'), name);
const builtIn = (name) => path.join(outputs, 'characters', `${name}.glb`);

function bake(file, options) {
  const layer = options.includes('--layer') ? [] : ['--layer', 'none'];
  const done = spawnSync(pleat, ['bake', file, '--json', '--quiet', ...layer, ...options], { encoding: 'utf8' });
  if (done.status !== 0) {
    throw new Error(`pleat bake ${file} ${options.join(' ')}: ${done.stderr}`);
  }
  return JSON.parse(done.stdout);
}

// The frames of a PC2 file as one array of floats, and its counts.
function readPc2(file) {
  const bytes = readFileSync(file);
  const points = bytes.readInt32LE(16);
  const floats = new Float32Array(bytes.buffer.slice(bytes.byteOffset + 32, bytes.byteOffset + bytes.length));
  return { frame: (index) => floats.subarray(3 * points * index, 3 * points * (index + 1)), count: bytes.readInt32LE(28) };
}

function clipNames(file) {
  const bytes = readFileSync(file);
  const description = JSON.parse(bytes.subarray(20, 20 + bytes.readUInt32LE(12)).toString());
  return (description.animations ?? []).map((clip, i) => clip.name || `clip ${i}`); // as ours goes without one
}

function height(points) {
  let low = Infinity;
  let high = -Infinity;
  for (let i = 1; i < points.length; i += 3) {
    low = Math.min(low, points[i]);
    high = Math.max(high, points[i]);
  }
  return high - low;
}

// One job for each clip that was baked.
function prepare(kind, name, file, options) {
  if (!existsSync(file)) {
    return [{ kind, name, complaints: [], skipped: `no ${file}` }];
  }
  const stem = path.join(folder, `${kind}_${name}`);
  const baked = kind === 'baked';
  const report = bake(file, [
    '-o', baked ? `${stem}_{clip}.pc2` : `${stem}.pc2`, ...(baked ? ['-o', `${stem}.glb`] : ['--skin', 'lbs']), ...options]);
  const stated = Math.max(0, ...report.morphs.map((morph) => morph.largest_error));
  const several = report.clips.length > 1;
  return report.clips.map((clip) => {
    const own = clip.name.replace(/[/\\:*?"<>|%{}]/g, '_');
    const short = own.split('_').slice(1).join('_') || own;
    const job = { kind, name: several ? `${name}_${short}` : name, complaints: [], file: baked ? `${stem}.glb` : file };
    fillJob(job, baked ? `${stem}_${own}` : stem, clip.name, stated);
    return job;
  });
}

function fillJob(job, stem, clip, stated) {
  const side = JSON.parse(readFileSync(`${stem}.json`, 'utf8'));
  const cache = readPc2(`${stem}.pc2`);
  job.clip = clipNames(job.file).indexOf(clip);
  job.times = side.times;
  job.frames = [...new Set(Array.from({ length: FRAMES }, (_, i) => Math.round((i * (cache.count - 1)) / (FRAMES - 1))))];
  job.expected = Object.fromEntries(job.frames.map((frame) => [frame, cache.frame(frame).slice()]));
  job.bound = stated + BOUND * height(cache.frame(0));
  job.largest = 0;
  job.seen = 0;
  rmSync(`${stem}.pc2`);
}

// ---- The page's server ----------------------------------------------------------------------------------------------

function takePoints(job, frame, body) {
  const points = new Float32Array(body.buffer.slice(body.byteOffset, body.byteOffset + body.length));
  const expected = job.expected[frame];
  if (points.length !== expected.length) {
    job.complaints.push(`three.js has ${points.length / 3} vertices, the point cache ${expected.length / 3}`);
    return;
  }
  for (let i = 0; i < points.length; i += 3) {
    const distance = Math.hypot(points[i] - expected[i], points[i + 1] - expected[i + 1], points[i + 2] - expected[i + 2]);
    job.largest = distance <= job.largest ? job.largest : distance; // a NaN stays
  }
  ++job.seen;
}

function takePicture(job, number, body) {
  const { picture, covered, colours } = JSON.parse(body.toString());
  writeFileSync(path.join(folder, `${job.kind}_${job.name}.png`), Buffer.from(picture.split(',')[1], 'base64'));
  job.picture = `${(100 * covered).toFixed(0)} % of the picture`;
  if (!(covered > 0.01 && covered < 0.9 && colours > 16)) {
    job.complaints.push(`the picture is blank: ${job.picture}, ${colours} colours`);
  }
}

function answer(request, response, body, state) {
  const [, what, number, frame] = request.url.split('/');
  const job = state.jobs[number] ?? state.jobs[state.current];
  state.heard = Date.now();
  if (request.method === 'POST') {
    if (what === 'points') takePoints(job, frame, body);
    if (what === 'picture') takePicture(job, number, body);
    if (what === 'complaint') job.complaints.push(body.toString());
    if (what === 'played') state.current = Number(number) + 1;
    if (what === 'done') state.done();
    response.end();
  } else if (what === 'jobs') {
    response.end(JSON.stringify(state.jobs.map(({ clip, times, frames }) => ({ clip, times, frames }))));
  } else if (what === 'file') {
    answerFile(response, job.file);
  } else if (!answerPage(request, response, 'browser_page.js') && what !== 'favicon.ico') {
    job?.complaints.push(`the page asks for ${request.url}`);
  }
}

// ---- Cases ----------------------------------------------------------------------------------------------------------

function verdict(job) {
  const name = `browser_${job.kind}_${job.name}`;
  if (job.skipped) {
    console.log(`skipped: ${job.skipped}`);
    console.log(`[  SKIPPED ] ${name}`);
    return 0;
  }
  const failures = [...job.complaints];
  if (job.seen !== job.frames.length || !job.picture) failures.push(`${job.seen} of ${job.frames.length} frames were played`);
  if (!(job.largest <= job.bound)) failures.push(`off by ${job.largest.toExponential(2)} m, more than ${job.bound.toExponential(2)} m`);
  console.log(
    `  ${job.kind.padEnd(6)} ${job.name.padEnd(24)} ${String(job.seen).padStart(6)} ${job.largest.toExponential(1).padStart(9)} m ` +
      `${job.bound.toExponential(1).padStart(9)} m   ${job.picture ?? 'no picture'}`,
  );
  for (const failure of failures) console.log(`    ${failure}`);
  console.log(failures.length ? `[  FAILED  ] ${name}` : `[       OK ] ${name}`);
  return failures.length ? 1 : 0;
}

const chromium = findChromium();

const knight = shared('quat_knight/KnightCharacter.glb');
const salsa = shared('mh_salsa_sportsuit/mh_salsa_sportsuit.glb');
const jobs = [
  prepare('skin', 'dancer', builtIn('dancer'), ['--fps', '7']),
  prepare('skin', 'skirt', builtIn('skirt'), []),
  prepare('skin', 'cesium_man', shared('khr_cesium_man/CesiumMan.glb'), []),
  prepare('skin', 'knight', knight, ['--clip', '*Walking', '--fps', '29']),
  prepare('skin', 'hand', shared('webxr_hand/webxr_hand_left_curl.glb'), []),
  prepare('skin', 'salsa', salsa, ['--fps', '3.1']),
  prepare('baked', 'dancer', builtIn('dancer'), ['--skin', 'dqs']),
  prepare('baked', 'folds', builtIn('dancer'), ['--layer', 'folds', '--frames', '60-75']),
  prepare('baked', 'knight', knight, ['--skin', 'dqs']),
  prepare('baked', 'salsa', salsa, ['--skin', 'dqs', '--frames', '100-140']),
].flat();
const playable = jobs.filter((job) => !job.skipped);
await runPage(chromium, answer, { jobs: playable, current: 0 });
console.log(`  ${'judge'.padEnd(6)} ${'file'.padEnd(24)} frames     largest       bound`);
const failed = jobs.reduce((sum, job) => sum + verdict(job), 0);
process.exit(failed ? 1 : 0);
