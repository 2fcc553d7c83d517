// What three.js makes of normal maps: browser_maps.mjs PLEAT FOLDER
//
// A frame is drawn from one side with one light: the geometry that pleat bake writes, the coarse mesh with the normal map of
// pleat maps, and the coarse mesh alone. Where folds are, the shading of the second must come much nearer to the first than
// that of the third, and a map with green turned over must not. The three pictures are kept side by side.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { answerFile, answerPage, findChromium, runPage } from './chromium.mjs';

const BOUND = 0.7; // of the difference of the coarse mesh; what is left is parallax, which no normal map has

const [pleat, outputs] = process.argv.slice(2).map((name) => path.resolve(name));
const folder = path.join(outputs, 'browser_maps');
mkdirSync(folder, { recursive: true });

function run(...words) {
  const done = spawnSync(pleat, words, { encoding: 'utf8' });
  if (done.status !== 0) throw new Error(`pleat ${words.join(' ')}: ${done.stderr}`);
}

const builtIn = (name) => path.join(outputs, 'characters', `${name}.glb`);

// view: what to look at, from where, and how much of it.
function prepare(name, file, stack, options, view) {
  const job = { name, view, complaints: [] };
  const maps = path.join(folder, name);
  run('maps', file, '-o', maps, '--quiet', '--coarse', '--map', 'height', '--map', 'normal', ...stack, ...options);
  run('bake', file, '-o', path.join(maps, 'geometry.obj'), '--quiet', ...stack);
  const entry = JSON.parse(readFileSync(path.join(maps, 'maps.json'), 'utf8')).maps[0].frames[0];
  job.files = { geometry: 'geometry.obj', coarse: entry.coarse, normal: entry.normal };
  job.folder = maps;
  return job;
}

function takeResult(job, body) {
  const { picture, ...result } = JSON.parse(body.toString());
  writeFileSync(path.join(folder, `${job.name}.png`), Buffer.from(picture.split(',')[1], 'base64'));
  job.result = result;
}

function answer(request, response, body, state) {
  const [, what, number, file] = request.url.split('/');
  const job = state.jobs[number] ?? state.jobs[state.current];
  state.heard = Date.now();
  if (request.method === 'POST') {
    if (what === 'result') takeResult(job, body);
    if (what === 'complaint') job.complaints.push(body.toString());
    if (what === 'played') state.current = Number(number) + 1;
    if (what === 'done') state.done();
    response.end();
  } else if (what === 'jobs') {
    response.end(JSON.stringify(state.jobs.map(({ files, view }) => ({ files, view }))));
  } else if (what === 'file') {
    answerFile(response, path.join(job.folder, job.files[file]));
  } else {
    answerPage(request, response, 'browser_maps_page.js');
  }
}

function verdict(job) {
  const name = `browser_maps_${job.name}`;
  const failures = [...job.complaints];
  const result = job.result ?? { mapped: NaN, turned: NaN, plain: NaN, seen: 0 };
  console.log(
    `  ${job.name.padEnd(10)} shading off by ${(100 * result.mapped).toFixed(2)} % with the map, ` +
      `${(100 * result.plain).toFixed(2)} % without, ${(100 * result.turned).toFixed(2)} % with green turned; ${result.seen} pixels`,
  );
  if (!(result.seen > 3000 && result.plain > 0.03)) failures.push('nothing was seen that a map could change');
  if (!(result.mapped <= BOUND * result.plain)) failures.push(`the map takes away less than it should: ${result.mapped / result.plain}`);
  if (!(result.turned > result.mapped)) failures.push('with green turned over it looks no worse');
  failures.forEach((failure) => console.log(`    ${failure}`));
  console.log(failures.length ? `[  FAILED  ] ${name}` : `[       OK ] ${name}`);
  return failures.length ? 1 : 0;
}

const chromium = findChromium();
const folds = ['--layer', 'folds'];
const jobs = [
  prepare('leotard', builtIn('dancer'), [...folds, '--garment', 'leotard', '--clip', 'squat', '--frames', '45'], ['--atlas'],
    { from: [0.35, 0.25, 1], at: [0.42, 0.68, 0.5], part: 0.4 }),
  prepare('tights', builtIn('dancer'), [...folds, '--garment', 'tights', '--clip', 'squat', '--frames', '45'], ['--atlas'],
    { from: [-0.9, 0.2, -0.6], at: [0.5, 0.5, 0.5], part: 0.6 }),
];
await runPage(chromium, answer, { jobs, current: 0 });
process.exit(jobs.reduce((sum, job) => sum + verdict(job), 0) ? 1 : 0);
