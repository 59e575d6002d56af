// Surfaces, cloth, curves and colliders.
import * as THREE from 'three';
import { mapColor, type Rgb } from './colors';
import { boxOf, u16, u32, unpackPositions, unpackValues } from './message';
import type { Range } from './ranges';
import type { Fetched } from './source';

export interface Coloring {
  byValue: boolean;
  range: Range;
  map: Rgb[];
  colorOf: (body: number) => Rgb;
  hidden: Set<number>;
}

// Elements of `size` corners whose first corner's body is not hidden.
export function visibleCorners(corners: Uint32Array, size: number, body: Uint16Array, hidden: Set<number>): Uint32Array {
  if (hidden.size === 0) return corners;
  const kept: number[] = [];
  for (let e = 0; e < corners.length; e += size)
    if (!hidden.has(body[corners[e]])) for (let k = 0; k < size; ++k) kept.push(corners[e + k]);
  return Uint32Array.from(kept);
}

// What joins vertices: triangles and segments.
export class JoinedVertices {
  readonly object = new THREE.Group();
  private mesh: THREE.Mesh;
  private lines: THREE.LineSegments;

  constructor(gloss: number) {
    const material = new THREE.MeshPhongMaterial({ vertexColors: true, side: THREE.DoubleSide, shininess: 40 });
    material.specular.setScalar(gloss);
    this.mesh = new THREE.Mesh(new THREE.BufferGeometry(), material);
    this.lines = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ vertexColors: true }));
    this.mesh.frustumCulled = this.lines.frustumCulled = false;
    this.object.add(this.mesh, this.lines);
  }
  setClip(planes: THREE.Plane[]): void {
    for (const m of [this.mesh.material, this.lines.material] as THREE.Material[]) m.clippingPlanes = planes;
  }
  show(message: Fetched | null, coloring: Coloring): void {
    const box = message && boxOf(message.json.box);
    const packed = u16(message?.tables.get('vertices'));
    this.object.visible = !!box && packed.length > 0;
    if (!message || !box || packed.length === 0) return;
    const body = u16(message.tables.get('vertex_body'));
    const positions = new THREE.BufferAttribute(unpackPositions(packed, box), 3);
    const colors = new THREE.BufferAttribute(this.colors(message, packed, body, coloring), 3);
    for (const [what, name, size] of [[this.mesh, 'triangles', 3], [this.lines, 'segments', 2]] as const) {
      const corners = visibleCorners(u32(message.tables.get(name)), size, body, coloring.hidden);
      what.geometry.dispose();
      what.geometry = new THREE.BufferGeometry();
      what.visible = corners.length > 0;
      what.geometry.setAttribute('position', positions);
      what.geometry.setAttribute('color', colors);
      what.geometry.setIndex(new THREE.BufferAttribute(corners, 1));
    }
    if (message.normals) this.mesh.geometry.setAttribute('normal', new THREE.BufferAttribute(message.normals, 3));
  }
  private colors(message: Fetched, packed: Uint16Array, body: Uint16Array, c: Coloring): Float32Array {
    const out = new Float32Array(3 * body.length);
    const mapped = c.byValue && message.json.column !== '';
    const values = mapped ? unpackValues(packed, message.json.lo, message.json.hi) : null;
    for (let i = 0; i < body.length; ++i)
      out.set(values ? mapColor(c.map, (values[i] - c.range.lo) / (c.range.hi - c.range.lo)) : c.colorOf(body[i]), 3 * i);
    return out;
  }
  // The vertex nearest to where a ray meets a triangle.
  pick(ray: THREE.Raycaster): { index: number; distance: number; point: THREE.Vector3 } | null {
    if (!this.object.visible || !this.mesh.visible) return null;
    const hit = ray.intersectObject(this.mesh, false)[0];
    if (!hit?.face) return null;
    const at = this.mesh.geometry.getAttribute('position') as THREE.BufferAttribute;
    const corners = [hit.face.a, hit.face.b, hit.face.c];
    const far = (i: number) => new THREE.Vector3().fromBufferAttribute(at, i).distanceTo(hit.point);
    const index = corners.sort((a, b) => far(a) - far(b))[0];
    return { index, distance: hit.distance, point: new THREE.Vector3().fromBufferAttribute(at, index) };
  }
}

export class ColliderMeshes {
  readonly object = new THREE.Group();

  set(message: Fetched): void {
    this.object.clear();
    message.json.colliders.forEach((collider: any, k: number) => {
      const box = boxOf(collider.box);
      if (!box) return;
      const geometry = new THREE.BufferGeometry();
      geometry.setAttribute('position', new THREE.BufferAttribute(unpackPositions(u16(message.tables.get(`vertices${k}`)), box), 3));
      geometry.setIndex(new THREE.BufferAttribute(u32(message.tables.get(`triangles${k}`)), 1));
      geometry.computeVertexNormals();
      const material = new THREE.MeshPhongMaterial({ color: new THREE.Color(...(collider.color as Rgb)), shininess: 30 });
      material.specular.setScalar(0.06);
      const mesh = new THREE.Mesh(geometry, material);
      mesh.matrixAutoUpdate = false;
      mesh.userData.index = k;
      this.object.add(mesh);
    });
  }
  // Three rows of four numbers each.
  place(matrices: number[][]): void {
    for (const mesh of this.object.children) {
      const m = matrices[mesh.userData.index];
      if (!m) continue;
      mesh.matrix.set(m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8], m[9], m[10], m[11], 0, 0, 0, 1);
      mesh.matrixWorldNeedsUpdate = true;
    }
  }
}
