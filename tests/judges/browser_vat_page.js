// Inside of the browser: plays vertex-animation textures in a vertex shader and posts where the vertices came out.
import * as three from 'three';
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';
import { EXRLoader } from 'three/examples/jsm/loaders/EXRLoader.js';

const post = (path, body) => fetch(path, { method: 'POST', body });
const complain = (text) => post('/complaint/0', String(text));
window.addEventListener('error', (event) => complain(event.message));
window.addEventListener('unhandledrejection', (event) => complain(event.reason?.stack ?? event.reason));

// The shader of docs/maps.md. Each vertex is drawn as one texel of a target, which holds its position.
const vertexShader = `
  uniform sampler2D vat;
  uniform vec3 low, high;
  uniform float frame, height, columns, rows;
  attribute vec2 vatUv;
  attribute float number;
  varying vec3 came;
  void main() {
    vec2 at = vatUv + vec2(0.0, frame / height);
    vec3 c = low + texture2D(vat, at).xyz * (high - low);
    came = position + vec3(c.x, c.z, -c.y);
    vec2 texel = vec2(mod(number, columns), floor(number / columns)) + 0.5;
    gl_Position = vec4(texel / vec2(columns, rows) * 2.0 - 1.0, 0.0, 1.0);
    gl_PointSize = 1.0;
  }`;
const fragmentShader = 'varying vec3 came; void main() { gl_FragColor = vec4(came, 1.0); }';

async function play(number, job) {
  const file = (kind) => `/file/${number}/${kind}`;
  const remap = (await (await fetch(file('remap'))).json())['os-remap'];
  const scene = (await new GLTFLoader().loadAsync(file('mesh'))).scene;
  let mesh;
  scene.traverse((thing) => (mesh ??= thing.isMesh ? thing : undefined));
  const vat = await new EXRLoader().setDataType(three.FloatType).loadAsync(file('offsets'));
  vat.minFilter = vat.magFilter = three.NearestFilter;
  vat.generateMipmaps = false;
  // EXRLoader hands rows from the bottom; the coordinates count them from the top, as glTF does.
  const { width, height, data } = vat.image;
  const channels = data.length / (width * height);
  const turned = new Float32Array(data.length);
  for (let y = 0; y < height; ++y) turned.set(data.subarray(y * width * channels, (y + 1) * width * channels), (height - 1 - y) * width * channels);
  vat.image.data = turned;
  vat.needsUpdate = true;

  const count = mesh.geometry.attributes.position.count;
  const columns = 1024;
  const rows = Math.ceil(count / columns);
  const geometry = new three.BufferGeometry();
  geometry.setAttribute('position', mesh.geometry.attributes.position);
  geometry.setAttribute('vatUv', mesh.geometry.attributes.uv1);
  geometry.setAttribute('number', new three.BufferAttribute(Float32Array.from({ length: count }, (_, i) => i), 1));
  const material = new three.ShaderMaterial({
    vertexShader,
    fragmentShader,
    uniforms: {
      vat: { value: vat }, low: { value: new three.Vector3(...remap.Min) }, high: { value: new three.Vector3(...remap.Max) },
      frame: { value: 0 }, height: { value: height }, columns: { value: columns }, rows: { value: rows },
    },
  });
  const points = new three.Points(geometry, material);
  points.frustumCulled = false;
  const stage = new three.Scene();
  stage.add(points);
  const renderer = new three.WebGLRenderer();
  const target = new three.WebGLRenderTarget(columns, rows, { type: three.FloatType, format: three.RGBAFormat });
  for (let frame = 0; frame < job.frames; ++frame) {
    material.uniforms.frame.value = frame;
    renderer.setRenderTarget(target);
    renderer.render(stage, new three.Camera());
    const pixels = new Float32Array(4 * columns * rows);
    renderer.readRenderTargetPixels(target, 0, 0, columns, rows, pixels);
    const out = new Float32Array(3 * count);
    for (let i = 0; i < count; ++i) out.set(pixels.subarray(4 * i, 4 * i + 3), 3 * i);
    await post(`/result/${number}/${frame}`, out.buffer);
  }
  renderer.dispose();
}

const jobs = await (await fetch('/jobs')).json();
for (const [number, job] of jobs.entries()) {
  try {
    await play(number, job);
  } catch (error) {
    await complain(error.stack ?? error);
  }
}
await post('/done', '');
