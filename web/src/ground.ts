// The ground: a disc with a fine grid that fades into the background, and the soft shade of what
// stands on it.
import * as THREE from 'three';

const cells = 96;

const vertex = /* glsl */ `
varying vec3 vWorld;
void main() {
  vWorld = (modelMatrix * vec4(position, 1.0)).xyz;
  gl_Position = projectionMatrix * viewMatrix * vec4(vWorld, 1.0);
}`;

const fragment = /* glsl */ `
uniform vec3 color, line, background, middle;
uniform float fade, spacing;
uniform vec4 shadeBox;
uniform sampler2D shade;
varying vec3 vWorld;
void main() {
  vec2 q = vWorld.xz / spacing;
  vec2 w = fwidth(q);
  vec2 g = abs(fract(q - 0.5) - 0.5) / max(w, vec2(1e-6));
  float grid = (1.0 - min(min(g.x, g.y), 1.0)) * (1.0 - smoothstep(0.1, 0.5, max(w.x, w.y)));
  vec2 uv = (vWorld.xz - shadeBox.xy) / shadeBox.zw;
  float inside = step(0.0, min(min(uv.x, uv.y), min(1.0 - uv.x, 1.0 - uv.y)));
  float dark = inside * texture2D(shade, uv).r;
  vec3 c = mix(color, line, 0.5 * grid) * (1.0 - 0.62 * dark);
  float far = smoothstep(0.25 * fade, fade, distance(vWorld.xz, middle.xz));
  gl_FragColor = vec4(mix(c, background, far), 1.0);
  #include <colorspace_fragment>
}`;

export class Ground {
  readonly object: THREE.Mesh<THREE.PlaneGeometry, THREE.ShaderMaterial>;
  private data = new Uint8Array(4 * cells * cells);
  private texture = new THREE.DataTexture(this.data, cells, cells);
  private height = 0;

  constructor() {
    this.texture.magFilter = this.texture.minFilter = THREE.LinearFilter;
    const material = new THREE.ShaderMaterial({
      vertexShader: vertex,
      fragmentShader: fragment,
      uniforms: {
        color: { value: new THREE.Color() },
        line: { value: new THREE.Color() },
        background: { value: new THREE.Color() },
        middle: { value: new THREE.Vector3() },
        fade: { value: 1 },
        spacing: { value: 1 },
        shadeBox: { value: new THREE.Vector4(0, 0, 1, 1) },
        shade: { value: this.texture },
      },
    });
    this.object = new THREE.Mesh(new THREE.PlaneGeometry(2, 2).rotateX(-Math.PI / 2), material);
    this.object.frustumCulled = false;
    this.object.renderOrder = -1;
  }
  place(height: number, middle: THREE.Vector3, size: number): void {
    this.height = height;
    this.object.position.set(middle.x, height, middle.z);
    this.object.scale.setScalar(7 * size);
    const u = this.object.material.uniforms;
    u.middle.value.copy(middle);
    u.fade.value = 6.5 * size;
    const raw = size / 8;
    const power = 10 ** Math.floor(Math.log10(raw));
    u.spacing.value = power * ([1, 2, 5, 10].find((f) => f * power >= raw) ?? 10);
  }
  paint(color: THREE.Color, line: THREE.Color, background: THREE.Color): void {
    const u = this.object.material.uniforms;
    u.color.value.copy(color);
    u.line.value.copy(line);
    u.background.value.copy(background);
  }
  // Darker the more matter is near above; points are packed within lo .. lo + size.
  cast(packed: Uint16Array, lo: THREE.Vector3, size: THREE.Vector3): void {
    const count = packed.length / 4;
    const stride = Math.max(1, Math.floor(count / 20000));
    const margin = 0.35 * Math.max(size.x, size.z, 1e-6);
    const wide = size.x + 2 * margin, deep = size.z + 2 * margin;
    const reach = 0.5 * Math.max(size.x, size.z, size.y, 1e-9);
    let field = new Float32Array(cells * cells);
    for (let i = 0; i < count; i += stride) {
      const y = lo.y + (size.y * packed[4 * i + 1]) / 65535 - this.height;
      const a = Math.floor((cells * (margin + (size.x * packed[4 * i]) / 65535)) / wide);
      const b = Math.floor((cells * (margin + (size.z * packed[4 * i + 2]) / 65535)) / deep);
      field[b * cells + a] += Math.exp(-Math.max(0, y) / (0.35 * reach));
    }
    const full = (0.9 * count) / stride / (0.15 * cells * cells);
    for (let i = 0; i < field.length; ++i) field[i] = 1 - Math.exp(-field[i] / Math.max(full, 1e-6));
    for (let pass = 0; pass < 3; ++pass) field = blurred(field);
    for (let i = 0; i < field.length; ++i) this.data[4 * i] = 255 * Math.min(1, field[i]);
    this.texture.needsUpdate = true;
    this.object.material.uniforms.shadeBox.value.set(lo.x - margin, lo.z - margin, wide, deep);
  }
}

function blurred(from: Float32Array): Float32Array<ArrayBuffer> {
  const pass = (f: Float32Array, step: number, across: number) => {
    const to = new Float32Array(f.length);
    for (let line = 0; line < cells; ++line)
      for (let i = 0; i < cells; ++i) {
        let sum = 0;
        for (let k = -2; k <= 2; ++k) {
          const j = i + k;
          if (j >= 0 && j < cells) sum += f[line * across + j * step];
        }
        to[line * across + i * step] = sum / 5;
      }
    return to;
  };
  return pass(pass(from, 1, cells), cells, 1);
}
