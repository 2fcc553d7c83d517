// What judges that work in a browser share: a page on loopback, Chromium that opens it, and its end.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const PATIENCE = 240; // seconds without a word from the page
const here = path.dirname(fileURLToPath(import.meta.url));

export function skip(reason) {
  console.log(`skipped: ${reason}`);
  process.exit(77);
}

// The program, with three.js for its pages; without either the judge is skipped.
export function findChromium() {
  const chromium = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
  if (!chromium) skip('no Chromium here');
  if (!existsSync(path.join(here, '../node_modules/three'))) skip('no three in tests/node_modules; npm ci in tests/ installs it');
  return chromium;
}

const types = { '.html': 'text/html', '.js': 'text/javascript', '.glb': 'model/gltf-binary', '.png': 'image/png' };

export function answerFile(response, file) {
  response.writeHead(200, { 'Content-Type': types[path.extname(file)] ?? 'application/octet-stream' });
  response.end(readFileSync(file));
}

// Answers for the page itself: browser.html with the given script, that script, and files of three.js; false, and 404, for
// anything else.
export function answerPage(request, response, script) {
  if (request.url === '/') {
    response.writeHead(200, { 'Content-Type': 'text/html' });
    response.end(readFileSync(path.join(here, 'browser.html'), 'utf8').replace('browser_page.js', script));
  } else if (request.url === `/${script}`) {
    answerFile(response, path.join(here, script));
  } else if (request.url.startsWith('/three/') && !request.url.includes('..')) {
    answerFile(response, path.join(here, '../node_modules', request.url));
  } else {
    response.writeHead(404).end();
    return false;
  }
  return true;
}

// Lets Chromium work on the page that answer(request, response, body, state) gives; resolves when state.done() is called.
export async function runPage(chromium, answer, state) {
  state.heard = Date.now();
  const finished = new Promise((resolve, reject) => {
    state.done = resolve;
    state.fail = reject;
  });
  const server = http.createServer((request, response) => {
    const pieces = [];
    request.on('data', (piece) => pieces.push(piece));
    request.on('end', () => {
      try {
        answer(request, response, Buffer.concat(pieces), state);
      } catch (error) {
        state.fail(error);
        response.writeHead(500).end();
      }
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const profile = mkdtempSync(path.join(os.tmpdir(), 'pleat-browser-'));
  const browser = spawn(
    chromium,
    ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
      '--disable-component-update', '--disable-sync', '--enable-unsafe-swiftshader', '--disable-dev-shm-usage',
      `--user-data-dir=${profile}`, `http://127.0.0.1:${server.address().port}/`],
    { detached: true, stdio: 'ignore' },
  );
  browser.on('exit', (code) => state.fail(new Error(`Chromium ended with ${code}`)));
  browser.on('error', (error) => state.fail(error));
  const watch = setInterval(() => {
    if (Date.now() - state.heard > 1000 * PATIENCE) state.fail(new Error(`nothing from the page for ${PATIENCE} s`));
  }, 1000);
  try {
    await finished;
  } finally {
    clearInterval(watch);
    browser.removeAllListeners('exit');
    const gone = new Promise((resolve) => browser.on('exit', resolve));
    try {
      process.kill(-browser.pid, 'SIGKILL'); // the whole group that we started
      await gone;
    } catch {
      // it has ended by itself
    }
    server.closeAllConnections?.();
    server.close();
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  }
}
