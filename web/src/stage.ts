// What is drawn: camera, light, matter, colliders, ground. Draws only when something has changed.
import * as THREE from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import type { Rgb } from './colors';
import { Ground } from './ground';
import { boxOf, type Box } from './message';
import { ColliderMeshes, JoinedVertices, type Coloring } from './meshes';
import { ParticleCloud } from './points';
import { Pace } from './pace';
import type { Fetched } from './source';

export interface Clip {
  axis: 0 | 1 | 2;
  at: number; // 0..1 through the box
  flip: boolean;
}

export interface Shown {
  particles: boolean;
  surface: boolean;
  colliders: boolean;
  ground: boolean;
}

export interface Hit {
  what: 'point' | 'vertex';
  index: number;
  at: THREE.Vector3;
}

// Whether pixels are made by the processor: there, antialiasing costs more than all else.
function drawsInSoftware(): boolean {
  const gl = document.createElement('canvas').getContext('webgl2');
  const names = gl?.getExtension('WEBGL_debug_renderer_info');
  const name = gl && names ? String(gl.getParameter(names.UNMASKED_RENDERER_WEBGL)) : '';
  gl?.getExtension('WEBGL_lose_context')?.loseContext();
  return /swiftshader|llvmpipe|softpipe|software/i.test(name);
}

export class Stage {
  readonly renderer: THREE.WebGLRenderer;
  private scene = new THREE.Scene();
  private camera = new THREE.PerspectiveCamera(35, 1, 0.001, 100);
  private controls: OrbitControls;
  private cloud = new ParticleCloud();
  private thin = new JoinedVertices(0.04);
  private skin = new JoinedVertices(0.12);
  private colliders = new ColliderMeshes();
  private ground = new Ground();
  private marker: THREE.Mesh;
  private box: Box = { lo: [-0.5, 0, -0.5], hi: [0.5, 1, 0.5] };
  private frame: Fetched | null = null;
  private surface: Fetched | null = null;
  private groundColor: THREE.Color | null = null;
  private pace: Pace;
  drawn = 0; // pictures so far

  constructor(canvas: HTMLCanvasElement) {
    const software = drawsInSoftware();
    this.pace = new Pace(Math.min(window.devicePixelRatio, 2), software);
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: !software, powerPreference: 'high-performance' });
    this.renderer.setPixelRatio(this.pace.fine);
    this.renderer.localClippingEnabled = true;
    this.renderer.sortObjects = false;
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = false;
    this.controls.zoomToCursor = true;
    this.controls.addEventListener('change', () => this.touch());
    this.scene.add(new THREE.HemisphereLight(0xdfe8ff, 0x6b6257, 1.5));
    const sun = new THREE.DirectionalLight(0xfff3e2, 2.3);
    sun.position.set(0.45, 0.8, 0.5);
    this.marker = new THREE.Mesh(new THREE.RingGeometry(0.8, 1, 40), new THREE.MeshBasicMaterial({ color: 0xff3366, depthTest: false }));
    this.marker.visible = false;
    this.marker.renderOrder = 10;
    this.scene.add(sun, this.ground.object, this.colliders.object, this.cloud.object, this.thin.object, this.skin.object, this.marker);
    this.skin.object.visible = this.thin.object.visible = false;
  }
  touch(): void {
    this.pace.touch();
  }
  resize(width: number, height: number): void {
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / Math.max(1, height);
    this.camera.updateProjectionMatrix();
    this.touch();
  }
  // Draws where there is news; true where it did.
  draw(): boolean {
    const ratio = this.pace.due(performance.now());
    if (ratio === null) return false;
    if (ratio !== this.renderer.getPixelRatio()) this.renderer.setPixelRatio(ratio);
    const middle = this.middle(), away = this.camera.position.distanceTo(middle), size = this.size();
    this.camera.near = Math.max(away - 12 * size, 0.002 * size);
    this.camera.far = away + 14 * size;
    this.camera.updateProjectionMatrix();
    this.camera.updateMatrixWorld();
    this.cloud.setView(this.camera, this.renderer.domElement.height);
    if (this.marker.visible) {
      this.marker.quaternion.copy(this.camera.quaternion);
      this.marker.scale.setScalar(0.015 * this.camera.position.distanceTo(this.marker.position));
    }
    this.renderer.render(this.scene, this.camera);
    ++this.drawn;
    return true;
  }
  private middle(): THREE.Vector3 {
    return new THREE.Vector3(...this.box.lo).add(new THREE.Vector3(...this.box.hi)).multiplyScalar(0.5);
  }
  private size(): number {
    return Math.max(1e-6, new THREE.Vector3(...this.box.lo).distanceTo(new THREE.Vector3(...this.box.hi)));
  }
  setBox(box: Box | null): void {
    if (box) this.box = box;
  }
  frameAll(): void {
    const middle = this.middle();
    const half = (this.camera.fov / 2) * (Math.PI / 180);
    const far = (0.4 * this.size()) / Math.sin(Math.min(half, Math.atan(Math.tan(half) * this.camera.aspect)));
    const direction = new THREE.Vector3(0.42, 0.36, 0.83).normalize();
    this.camera.position.copy(middle).addScaledVector(direction, far);
    this.controls.target.copy(middle);
    this.controls.maxDistance = 8 * this.size();
    this.controls.update();
    this.touch();
  }
  setGround(ground: { height: number; color: Rgb | null } | null): void {
    this.ground.place(ground ? ground.height : this.box.lo[1], this.middle(), this.size());
    this.groundColor = ground?.color ? new THREE.Color(...ground.color) : null;
  }
  setTheme(background: string, floor: string, line: string): void {
    const back = new THREE.Color(background);
    this.scene.background = back;
    this.ground.paint(this.groundColor ?? new THREE.Color(floor), this.groundColor ? this.groundColor.clone().multiplyScalar(0.75) : new THREE.Color(line), back);
    this.touch();
  }
  setMap(map: Rgb[]): void {
    this.cloud.setMap(map);
  }
  setColliders(message: Fetched): void {
    this.colliders.set(message);
    this.touch();
  }
  setClip(clip: Clip | null): void {
    const plane = new THREE.Vector4(0, 0, 0, 1);
    const planes: THREE.Plane[] = [];
    if (clip) {
      const sign = clip.flip ? -1 : 1;
      const at = this.box.lo[clip.axis] + clip.at * (this.box.hi[clip.axis] - this.box.lo[clip.axis]);
      plane.set(0, 0, 0, sign * at).setComponent(clip.axis, sign);
      planes.push(new THREE.Plane(new THREE.Vector3(plane.x, plane.y, plane.z).negate(), plane.w));
    }
    this.cloud.setClip(plane);
    this.thin.setClip(planes);
    this.skin.setClip(planes);
    this.touch();
  }
  show(frame: Fetched, surface: Fetched | null, coloring: Coloring, shown: Shown): void {
    this.frame = frame;
    this.surface = surface;
    this.recolor(coloring, shown);
    this.colliders.place(frame.json.colliders);
    const box = boxOf(frame.json.box);
    if (box) {
      const lo = new THREE.Vector3(...box.lo);
      this.ground.cast(this.cloud.packed, lo, new THREE.Vector3(...box.hi).sub(lo));
    }
  }
  recolor(coloring: Coloring, shown: Shown): void {
    const withSurface = shown.surface && this.surface !== null;
    if (this.frame) {
      this.cloud.setColors(coloring.byValue, coloring.range);
      this.cloud.show(this.frame, coloring.colorOf, coloring.hidden);
      this.thin.show(this.frame, coloring);
    }
    this.cloud.object.visible = shown.particles;
    if (withSurface) this.skin.show(this.surface, coloring);
    else this.skin.object.visible = false;
    this.colliders.object.visible = shown.colliders;
    this.ground.object.visible = shown.ground;
    this.touch();
  }
  pick(x: number, y: number, hidden: Set<number>): Hit | null {
    const ray = new THREE.Raycaster();
    ray.setFromCamera(new THREE.Vector2(x, y), this.camera);
    const point = this.cloud.object.visible ? this.cloud.pick(ray.ray, hidden) : null;
    const vertex = this.thin.pick(ray);
    let hit: Hit | null = null;
    if (point && (!vertex || point.distance < vertex.distance)) hit = { what: 'point', index: point.index, at: this.cloud.positionOf(point.index) };
    else if (vertex) hit = { what: 'vertex', index: vertex.index, at: vertex.point };
    this.mark(hit?.at ?? null);
    return hit;
  }
  mark(at: THREE.Vector3 | null): void {
    this.marker.visible = at !== null;
    if (at) this.marker.position.copy(at);
    this.touch();
  }
  picture(): Promise<Blob | null> {
    this.pace.still();
    this.draw();
    return new Promise((done) => this.renderer.domElement.toBlob(done, 'image/png'));
  }
}
