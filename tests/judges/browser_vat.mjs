// What a vertex shader in three.js makes of vertex-animation textures: browser_vat.mjs PLEAT FOLDER
//
// The page loads pleat.glb, the two EXRs and the remap file by OpenVAT's names alone, moves vertices in a shader as
// docs/maps.md says, and hands back what came out, a texel of a float target for each vertex.
// Held against the point cache that pleat bake writes for the same frames.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { answerFile, answerPage, findChromium, runPage } from './chromium.mjs';

const ROUNDING = 1e-6; // metres: floats of half a metre, several of them added
const [pleat, outputs] = process.argv.slice(2).map((name) => path.resolve(name));
const folder = path.join(outputs, 'browser_vat');
mkdirSync(folder, { recursive: true });

function run(...words) {
  const done = spawnSync(pleat, words, { encoding: 'utf8' });
  if (done.status !== 0) throw new Error(`pleat ${words.join(' ')}: ${done.stderr}`);
}

// Frames by vertices by 3.
function readPc2(file) {
  const raw = readFileSync(file);
  const count = raw.readInt32LE(16);
  const frames = raw.readInt32LE(28);
  const points = new Float32Array(raw.buffer.slice(raw.byteOffset + 32, raw.byteOffset + 32 + 12 * count * frames));
  return { count, frames, points };
}

function prepare(name, file, ...stack) {
  const out = path.join(folder, name);
  run('maps', file, '-o', out, '--quiet', '--map', 'vat-exr', ...stack);
  run('bake', file, '-o', path.join(out, 'frames.pc2'), '--quiet', ...stack);
  const files = { mesh: 'pleat.glb', offsets: 'pleat_vat.exr', normals: 'pleat_vnrm.exr', remap: 'pleat-remap_info.json' };
  return { name, folder: out, files, cache: readPc2(path.join(out, 'frames.pc2')), complaints: [], results: [] };
}

function answer(request, response, body, state) {
  const [, what, number, file] = request.url.split('/');
  const job = state.jobs[number] ?? state.jobs[0];
  state.heard = Date.now();
  if (request.method === 'POST') {
    if (what === 'result') job.results[file] = new Float32Array(body.buffer.slice(body.byteOffset, body.byteOffset + body.length));
    if (what === 'complaint') job.complaints.push(body.toString());
    if (what === 'done') state.done();
    response.end();
  } else if (what === 'jobs') {
    response.end(JSON.stringify(state.jobs.map(({ cache }) => ({ frames: cache.frames }))));
  } else if (what === 'file') {
    answerFile(response, path.join(job.folder, job.files[file]));
  } else {
    answerPage(request, response, 'browser_vat_page.js');
  }
}

function verdict(job) {
  const { cache } = job;
  const failures = [...job.complaints];
  // Texels are of 16 bits: half a step.
  const { Min, Max } = JSON.parse(readFileSync(path.join(job.folder, job.files.remap), 'utf8'))['os-remap'];
  const bound = Math.max(...Max.map((high, k) => high - Min[k])) / 65535 / 2 + ROUNDING;
  let worst = 0;
  let moved = 0;
  for (let frame = 0; frame < cache.frames; ++frame) {
    const got = job.results[frame];
    if (got?.length !== 3 * cache.count) {
      failures.push(`frame ${frame}: ${got?.length ?? 0} numbers, not ${3 * cache.count}`);
      continue;
    }
    for (let i = 0; i < got.length; ++i) {
      worst = Math.max(worst, Math.abs(got[i] - cache.points[frame * got.length + i]));
      moved = Math.max(moved, Math.abs(got[i] - cache.points[i]));
    }
  }
  console.log(`  ${job.name.padEnd(8)} ${cache.frames} frames of ${cache.count} vertices: the shader is off by ${(1000 * worst).toFixed(5)} mm at most (a step is ${(1000 * 2 * bound).toFixed(5)} mm), they move by ${(1000 * moved).toFixed(0)} mm`);
  if (!(worst <= bound)) failures.push(`vertices are off by ${worst} m`);
  if (!(moved > 0.01)) failures.push('nothing moves: nothing was judged');
  failures.forEach((failure) => console.log(`    ${failure}`));
  console.log(failures.length ? `[  FAILED  ] browser_vat_${job.name}` : `[       OK ] browser_vat_${job.name}`);
  return failures.length ? 1 : 0;
}

const chromium = findChromium();
const builtIn = (name) => path.join(outputs, 'characters', `${name}.glb`);
const jobs = [
  prepare('arm', builtIn('arm'), '--layer', 'folds', '--garment', 'sleeve', '--frames', '20-31'),
  prepare('tights', builtIn('dancer'), '--layer', 'folds', '--garment', 'tights', '--frames', '60-63'),
];
await runPage(chromium, answer, { jobs });
process.exit(jobs.reduce((sum, job) => sum + verdict(job), 0) ? 1 : 0);
