// Inside of the browser: draws geometry, coarse mesh with normal map and coarse mesh alone, and compares their shading.
import * as three from 'three';
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';
import { OBJLoader } from 'three/examples/jsm/loaders/OBJLoader.js';

const SIZE = 480;
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

const firstMesh = (scene) => {
  let found;
  scene.traverse((thing) => (found ??= thing.isMesh ? thing : undefined));
  return found;
};

const cloth = (options) => new three.MeshStandardMaterial({ color: 0xb0b8c8, roughness: 0.8, metalness: 0, side: three.DoubleSide, ...options });

// As glTF has it: rows from the top, numbers and not colours.
async function loadNormals(path) {
  const texture = await new three.TextureLoader().loadAsync(path);
  texture.flipY = false;
  texture.colorSpace = three.NoColorSpace;
  texture.anisotropy = 8;
  return texture;
}

// Pixels of a mesh from the view; the corner is background.
function draw(renderer, mesh, box, view) {
  const centre = new three.Vector3(...view.at).multiply(box.getSize(new three.Vector3())).add(box.min);
  const size = box.getSize(new three.Vector3()).length() * view.part;
  const camera = new three.OrthographicCamera(-size / 2, size / 2, size / 2, -size / 2, 0, 10 * size);
  const way = new three.Vector3(...view.from).normalize();
  camera.position.copy(centre).addScaledVector(way, 3 * size);
  camera.lookAt(centre);
  const light = new three.DirectionalLight(0xffffff, 3);
  light.position.copy(centre).add(new three.Vector3(way.x + 0.9, way.y + 0.9, way.z));
  light.target.position.copy(centre);
  const stage = new three.Scene();
  stage.background = new three.Color(0xffffff);
  stage.add(mesh, light, light.target, new three.AmbientLight(0xffffff, 0.6));
  renderer.render(stage, camera);
  const gl = renderer.getContext();
  const pixels = new Uint8Array(4 * SIZE * SIZE);
  gl.readPixels(0, 0, SIZE, SIZE, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
  return pixels;
}

// Mean difference to the shading of the first picture, 0..1, where geometry and coarse mesh are both seen and do not look
// alike: that is, where there are folds.
function compare(geometry, coarse, others) {
  const sums = others.map(() => 0);
  let seen = 0;
  for (let i = 0; i < geometry.length; i += 4) {
    const outside = [geometry, coarse].some((pixels) => pixels[i] === 255 && pixels[i + 1] === 255);
    if (outside || Math.abs(geometry[i + 1] - coarse[i + 1]) < 8) continue;
    ++seen;
    others.forEach((pixels, k) => (sums[k] += Math.abs(pixels[i + 1] - geometry[i + 1]) / 255));
  }
  return [...sums.map((sum) => sum / seen), seen];
}

function sideBySide(pictures) {
  const canvas = document.createElement('canvas');
  canvas.width = SIZE * pictures.length;
  canvas.height = SIZE;
  const context = canvas.getContext('2d');
  pictures.forEach((pixels, k) => {
    const image = context.createImageData(SIZE, SIZE);
    for (let y = 0; y < SIZE; ++y) {
      image.data.set(pixels.subarray(4 * SIZE * (SIZE - 1 - y), 4 * SIZE * (SIZE - y)), 4 * SIZE * y);
    }
    context.putImageData(image, k * SIZE, 0);
  });
  return canvas.toDataURL('image/png');
}

async function play(job, number) {
  const file = (kind) => `/file/${number}/${kind}`;
  const geometry = firstMesh(await new OBJLoader().loadAsync(file('geometry')));
  const coarse = firstMesh((await new GLTFLoader().loadAsync(file('coarse'))).scene);
  coarse.removeFromParent();
  geometry.material = cloth();
  const box = new three.Box3().setFromBufferAttribute(geometry.geometry.attributes.position);
  const renderer = new three.WebGLRenderer({ antialias: true, preserveDrawingBuffer: true });
  renderer.setSize(SIZE, SIZE);
  const folded = draw(renderer, geometry, box, job.view);
  const normalMap = await loadNormals(file('normal'));
  // Tangents are in the file: green is along +v of the picture upwards, as glTF says.
  coarse.material = cloth({ normalMap });
  const mapped = draw(renderer, coarse, box, job.view);
  coarse.material = cloth({ normalMap, normalScale: new three.Vector2(1, -1) });
  const turned = draw(renderer, coarse, box, job.view);
  coarse.material = cloth();
  const plain = draw(renderer, coarse, box, job.view);
  const [byMap, byTurned, byPlain, seen] = compare(folded, plain, [mapped, turned, plain]);
  const picture = sideBySide([plain, mapped, folded]);
  await post(`/result/${number}`, JSON.stringify({ mapped: byMap, turned: byTurned, plain: byPlain, seen, picture }));
  renderer.dispose();
  renderer.forceContextLoss();
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
