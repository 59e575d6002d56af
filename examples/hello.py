"""A jelly ball that falls on the floor, without files."""
import knead

scene = knead.Scene.from_dict({
    "solver": {"dx": 0.04},
    "time": {"frame_rate": 60},
    "bodies": [{"name": "ball", "material": "jelly",
                "shape": {"sphere": {"center": [0, 0.3, 0], "radius": 0.15}}}],
    "colliders": [{"name": "floor", "shape": {"plane": {"normal": [0, 1, 0]}}}],
})
for frame in knead.Sim(scene).frames(12):
    energy = frame.stats["elastic_energy"]
    print(f"frame {frame.number}: {len(frame)} particles, {energy:.3f} J of elastic energy")
