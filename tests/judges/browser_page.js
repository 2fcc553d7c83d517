// Inside of the browser: loads each file that browser.mjs names, sends back the positions that three.js gives its vertices
// at some times, and a picture.
import * as three from 'three';
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';

const post = (path, body) => fetch(path, { method: 'POST', body });
const complain = (text) => post('/complaint', String(text));
for (const level of ['error', 'warn']) {
  const print = console[level];
  console[level] = (...words) => {
    complain(`${level}: ${words.join(' ')}`);
    print(...words);
  };
}
window.addEventListener('error', (event) => complain(event.message));
window.addEventListener('unhandledrejection', (event) => complain(event.reason?.stack ?? event.reason));

// World positions: morph targets and joints as three.js applies them on the processor, nodes in scene order.
function positions(meshes) {
  const count = meshes.reduce((sum, mesh) => sum + mesh.geometry.attributes.position.count, 0);
  const all = new Float32Array(3 * count);
  const point = new three.Vector3();
  let at = 0;
  for (const mesh of meshes) {
    for (let v = 0; v < mesh.geometry.attributes.position.count; ++v) {
      mesh.getVertexPosition(v, point).applyMatrix4(mesh.matrixWorld).toArray(all, at);
      at += 3;
    }
  }
  return all;
}

// The figure on a plain background; answers the picture and the share of pixels that are not background.
function draw(scene, points) {
  const box = new three.Box3().setFromArray(points);
  const centre = box.getCenter(new three.Vector3());
  const size = box.getSize(new three.Vector3()).length();
  const camera = new three.PerspectiveCamera(30, 1, size / 100, size * 10);
  camera.position.set(centre.x + size, centre.y + size / 4, centre.z + size * 1.5);
  camera.lookAt(centre);
  const light = new three.DirectionalLight(0xffffff, 3);
  light.position.copy(camera.position);
  const background = new three.Color(0x203040);
  const stage = new three.Scene();
  stage.background = background;
  stage.add(scene, light, new three.AmbientLight(0xffffff, 0.5));
  const renderer = new three.WebGLRenderer({ antialias: true, preserveDrawingBuffer: true });
  renderer.setSize(400, 400);
  renderer.render(stage, camera);
  const gl = renderer.getContext();
  const pixels = new Uint8Array(4 * 400 * 400);
  gl.readPixels(0, 0, 400, 400, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
  let covered = 0;
  const colours = new Set();
  for (let i = 0; i < pixels.length; i += 4) {
    const far = [0, 1, 2].some((c) => Math.abs(pixels[i + c] - pixels[c]) > 4); // from the corner
    covered += far ? 1 : 0;
    colours.add((pixels[i] << 16) | (pixels[i + 1] << 8) | pixels[i + 2]);
  }
  const picture = renderer.domElement.toDataURL('image/png');
  renderer.dispose();
  renderer.forceContextLoss();
  return { picture, covered: covered / (400 * 400), colours: colours.size };
}

async function play(job, number) {
  const gltf = await new GLTFLoader().loadAsync(`/file/${number}`);
  const mixer = new three.AnimationMixer(gltf.scene);
  const clip = gltf.animations[job.clip];
  if (clip) {
    const action = mixer.clipAction(clip);
    action.setLoop(three.LoopOnce).clampWhenFinished = true;
    action.play();
  }
  const meshes = [];
  gltf.scene.traverse((thing) => thing.isMesh && meshes.push(thing));
  let points;
  for (const frame of job.frames) {
    mixer.setTime(job.times[frame]);
    gltf.scene.updateMatrixWorld(true);
    points = positions(meshes);
    await post(`/points/${number}/${frame}`, points);
  }
  await post(`/picture/${number}`, JSON.stringify(draw(gltf.scene, points)));
}

const jobs = await (await fetch('/jobs')).json();
for (const [number, job] of jobs.entries()) {
  try {
    await play(job, number);
  } catch (error) {
    await complain(error.stack ?? error);
  }
  await post(`/played/${number}`, '');
}
await post('/done', '');
