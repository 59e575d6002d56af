// Particles as shaded spheres: one point each, drawn straight from the bytes that the server sent.
import * as THREE from 'three';
import { boxOf, u16, type BodyRange, type Message } from './message';
import type { Range } from './ranges';

const vertex = /* glsl */ `
attribute vec4 point;
attribute float size;
uniform vec3 boxLo, boxSize, color;
uniform float radius, pixels, byValue, sized;
uniform vec4 clip;
uniform vec2 values, range;
uniform sampler2D map;
varying vec3 vColor;
void main() {
  vec3 x = boxLo + point.xyz * boxSize;
  vec4 seen = viewMatrix * vec4(x, 1.0);
  gl_Position = projectionMatrix * seen;
  if (dot(clip.xyz, x) > clip.w) gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
  float r = sized > 0.5 ? size * radius : radius;
  gl_PointSize = clamp(2.15 * r * pixels / max(-seen.z, 1e-6), 1.5, 256.0);
  float packed = point.w * 65535.0;
  float value = mix(values.x, values.y, packed / 65534.0);
  float t = (value - range.x) / (range.y - range.x);
  vec3 mapped = packed > 65534.5 ? vec3(0.3) : texture2D(map, vec2(clamp(t, 0.0, 1.0) * 63.0 / 64.0 + 0.5 / 64.0, 0.5)).rgb;
  vColor = byValue > 0.5 ? mapped : color;
}`;

const fragment = /* glsl */ `
uniform mat4 toWorld;
varying vec3 vColor;
void main() {
  vec2 p = 2.0 * gl_PointCoord - 1.0;
  float far = dot(p, p);
  if (far > 1.0) discard;
  vec3 n = mat3(toWorld) * vec3(p.x, -p.y, sqrt(1.0 - far));
  float sun = max(dot(n, normalize(vec3(0.45, 0.8, 0.5))), 0.0);
  float sky = 0.5 + 0.5 * n.y;
  vec3 light = vec3(0.30, 0.33, 0.38) * (0.35 + 0.65 * sky) + vec3(0.86, 0.82, 0.76) * sun;
  gl_FragColor = vec4(vColor * light, 1.0);
  #include <colorspace_fragment>
}`.replace('mat3(toWorld)', 'mat3(toWorld[0].xyz, toWorld[1].xyz, toWorld[2].xyz)');

export class ParticleCloud {
  readonly object = new THREE.Group();
  private geometry = new THREE.BufferGeometry();
  private points: THREE.Points;
  private shared = {
    boxLo: { value: new THREE.Vector3() },
    boxSize: { value: new THREE.Vector3() },
    pixels: { value: 1 },
    byValue: { value: 0 },
    sized: { value: 0 },
    clip: { value: new THREE.Vector4(0, 0, 0, 1) },
    values: { value: new THREE.Vector2() },
    range: { value: new THREE.Vector2(0, 1) },
    map: { value: null as THREE.Texture | null },
    toWorld: { value: new THREE.Matrix4() },
  };
  private materials = new Map<number, THREE.ShaderMaterial>();
  packed: Uint16Array<ArrayBuffer> = new Uint16Array();
  ranges: BodyRange[] = [];

  constructor() {
    this.points = new THREE.Points(this.geometry, []);
    this.points.frustumCulled = false;
    this.object.add(this.points);
  }
  setMap(map: [number, number, number][]): void {
    const data = new Float32Array(map.flatMap((c) => [...c, 1]));
    const texture = new THREE.DataTexture(data, map.length, 1, THREE.RGBAFormat, THREE.FloatType);
    texture.magFilter = texture.minFilter = THREE.NearestFilter;
    texture.needsUpdate = true;
    this.shared.map.value?.dispose();
    this.shared.map.value = texture;
  }
  setColors(byValue: boolean, range: Range): void {
    this.shared.byValue.value = byValue ? 1 : 0;
    this.shared.range.value.set(range.lo, range.hi);
  }
  setClip(plane: THREE.Vector4): void {
    this.shared.clip.value.copy(plane);
  }
  setView(camera: THREE.PerspectiveCamera, height: number): void {
    this.shared.pixels.value = (height / 2) * camera.projectionMatrix.elements[5];
    this.shared.toWorld.value.copy(camera.matrixWorld);
  }
  private materialOf(body: number, color: [number, number, number]): THREE.ShaderMaterial {
    let material = this.materials.get(body);
    if (!material) {
      const own = { color: { value: new THREE.Color() }, radius: { value: 0 } };
      material = new THREE.ShaderMaterial({ vertexShader: vertex, fragmentShader: fragment });
      material.uniforms = { ...this.shared, ...own };
      this.materials.set(body, material);
    }
    material.uniforms.color.value.setRGB(...color);
    return material;
  }
  show(message: Message, colorOf: (body: number) => [number, number, number], hidden: Set<number>): void {
    const box = boxOf(message.json.box);
    this.packed = u16(message.tables.get('points'));
    this.ranges = box ? message.json.bodies : [];
    if (box) {
      this.shared.boxLo.value.set(...box.lo);
      this.shared.boxSize.value.set(...box.hi).sub(this.shared.boxLo.value);
    }
    this.shared.values.value.set(message.json.lo, message.json.hi);
    this.replace('point', this.packed, 4);
    const radii = u16(message.tables.get('radii'));
    this.shared.sized.value = radii.length > 0 ? 1 : 0;
    if (radii.length > 0) this.replace('size', radii, 1);
    else this.geometry.deleteAttribute('size');
    const materials: THREE.ShaderMaterial[] = [];
    this.geometry.clearGroups();
    this.ranges.forEach((range, k) => {
      this.geometry.addGroup(range.first, range.count, k);
      const material = this.materialOf(range.body, colorOf(range.body));
      material.uniforms.radius.value = radii.length > 0 ? message.json.most_radius : range.radius;
      material.visible = !hidden.has(range.body);
      materials.push(material);
    });
    this.points.material = materials;
    this.geometry.setDrawRange(0, this.packed.length / 4);
  }
  // The graphics card's memory is used again where the new numbers fit.
  private replace(name: string, data: Uint16Array<ArrayBuffer>, size: number): void {
    const old = this.geometry.getAttribute(name) as THREE.BufferAttribute | undefined;
    const room = Math.ceil((data.length * 1.1) / size) * size;
    if (old && old.array.length >= data.length && old.array.length <= 4 * room + 64) {
      (old.array as Uint16Array).set(data);
      old.clearUpdateRanges();
      old.addUpdateRange(0, data.length);
      old.needsUpdate = true;
      return;
    }
    if (old) this.geometry.dispose();
    const array = new Uint16Array(room);
    array.set(data);
    const fresh = new THREE.BufferAttribute(array, size, true);
    fresh.setUsage(THREE.DynamicDrawUsage);
    this.geometry.setAttribute(name, fresh);
  }

  // The particle under a ray: nearest to the eye of those that it meets.
  pick(ray: THREE.Ray, hidden: Set<number>): { index: number; distance: number } | null {
    const lo = this.shared.boxLo.value, size = this.shared.boxSize.value, clip = this.shared.clip.value;
    let best: { index: number; distance: number } | null = null;
    const x = new THREE.Vector3(), o = ray.origin, d = ray.direction;
    for (const range of this.ranges) {
      if (hidden.has(range.body)) continue;
      const reach = 1.1 * range.radius || 0.01 * size.length();
      for (let i = range.first; i < range.first + range.count; ++i) {
        x.set(this.packed[4 * i], this.packed[4 * i + 1], this.packed[4 * i + 2]).multiplyScalar(1 / 65535).multiply(size).add(lo);
        if (clip.x * x.x + clip.y * x.y + clip.z * x.z > clip.w) continue;
        const along = d.x * (x.x - o.x) + d.y * (x.y - o.y) + d.z * (x.z - o.z);
        if (along <= 0 || (best && along >= best.distance)) continue;
        if (ray.distanceSqToPoint(x) < reach * reach) best = { index: i, distance: along };
      }
    }
    return best;
  }
  positionOf(index: number): THREE.Vector3 {
    return new THREE.Vector3(this.packed[4 * index], this.packed[4 * index + 1], this.packed[4 * index + 2])
      .multiplyScalar(1 / 65535)
      .multiply(this.shared.boxSize.value)
      .add(this.shared.boxLo.value);
  }
}
