#include "knead/io/vtk.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "knead/io/atomic_file.h"
#include "knead/io/body_color.h"

namespace knead {

namespace {

// The XML and, behind it, every array as its byte count and its bytes.
class Vtp {
public:
    Vtp(std::size_t points, std::size_t verts, std::size_t polys, double time,
        std::size_t lines = 0) {
        xml_ =
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" "
            "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<PolyData>\n";
        xml_ += "<FieldData>\n";
        array("TimeValue", std::vector<double>{time}, 1, "NumberOfTuples=\"1\"");
        xml_ += fmt::format(
            "</FieldData>\n<Piece NumberOfPoints=\"{}\" NumberOfVerts=\"{}\" NumberOfLines=\"{}\" "
            "NumberOfStrips=\"0\" NumberOfPolys=\"{}\">\n",
            points, verts, lines, polys);
    }
    void open(const std::string& tag) { xml_ += "<" + tag + ">\n"; }
    void close(const std::string& tag) { xml_ += "</" + tag + ">\n"; }

    template <class T>
    void array(const std::string& name, const std::vector<T>& values, int components,
               const std::string& more = {}) {
        const std::uint64_t bytes = values.size() * sizeof(T);
        xml_ += fmt::format(
            "<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"appended\" "
            "offset=\"{}\" {}/>\n",
            type_name<T>(), name, components, data_.size(), more);
        data_.append(reinterpret_cast<const char*>(&bytes), sizeof bytes);
        data_.append(reinterpret_cast<const char*>(values.data()), bytes);
    }
    void vectors(const std::string& name, const std::vector<Vec3f>& values) {
        std::vector<float> flat;
        flat.reserve(3 * values.size());
        for (const Vec3f& a : values) flat.insert(flat.end(), {a.x, a.y, a.z});
        array(name, flat, 3);
    }
    void column(const FrameColumn& c) {
        std::visit([&](const auto& values) { array(c.name, values, 1); }, c.values);
    }
    void write(const std::string& path) {
        AtomicFile file(path);
        file.write(xml_ + "</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_");
        file.write(data_);
        file.write("\n</AppendedData>\n</VTKFile>\n");
        file.commit();
    }

private:
    template <class T>
    static const char* type_name() {
        if constexpr (std::is_same_v<T, double>) return "Float64";
        if constexpr (std::is_same_v<T, float>) return "Float32";
        if constexpr (std::is_same_v<T, std::int32_t>) return "Int32";
        if constexpr (std::is_same_v<T, std::int64_t>) return "Int64";
    }
    std::string xml_;
    std::string data_;
};

// Cells of `size` corners each, in order.
std::vector<std::int64_t> cell_ends(std::size_t cells, std::int64_t size) {
    std::vector<std::int64_t> ends(cells);
    for (std::size_t i = 0; i < cells; ++i) ends[i] = size * (static_cast<std::int64_t>(i) + 1);
    return ends;
}

// Points and what they carry.
void add_points(Vtp& vtp, const Frame& frame, const std::vector<Vec3f>& body_colors) {
    vtp.open("PointData");
    if (frame.find("vx")) vtp.vectors("v", frame.vectors("vx", "vy", "vz"));
    vtp.vectors("Cd", colors_of_points(frame, body_colors));
    const std::set<std::string> done = {"x", "y", "z", "vx", "vy", "vz"};
    for (const FrameColumn& c : frame.columns)
        if (!done.contains(c.name)) vtp.column(c);
    vtp.close("PointData");
    vtp.open("Points");
    vtp.vectors("Points", frame.positions());
    vtp.close("Points");
}

template <std::size_t N>
void add_cells(Vtp& vtp, const char* kind, const FrameElements<N>& elements) {
    std::vector<std::int32_t> corners;
    for (const auto& e : elements.corners) corners.insert(corners.end(), e.begin(), e.end());
    vtp.open(kind);
    vtp.array("connectivity", corners, 1);
    vtp.array("offsets", cell_ends(elements.size(), N), 1);
    vtp.close(kind);
}

// Every column of segments and triangles, in VTK's order of cells; 0 for cells that lack it.
void add_cell_data(Vtp& vtp, const Frame& frame) {
    std::vector<std::string> names;
    const auto note = [&](const std::vector<FrameColumn>& columns) {
        for (const FrameColumn& c : columns)
            if (std::find(names.begin(), names.end(), c.name) == names.end())
                names.push_back(c.name);
    };
    note(frame.segments.columns), note(frame.triangles.columns);
    vtp.open("CellData");
    for (const std::string& name : names) {
        std::vector<float> values;
        const auto add = [&](std::size_t count, const FrameColumn* column) {
            for (std::size_t i = 0; i < count; ++i)
                values.push_back(column ? static_cast<float>(column->at(i)) : 0.0f);
        };
        add(frame.segments.size(), frame.segments.find(name));
        add(frame.triangles.size(), frame.triangles.find(name));
        vtp.array(name, values, 1);
    }
    vtp.close("CellData");
}

}  // namespace

void write_thin_vtp(const std::string& path, const Frame& frame,
                    const std::vector<Vec3f>& body_colors) {
    Vtp vtp(frame.count, 0, frame.triangles.size(), frame.time, frame.segments.size());
    add_points(vtp, frame, body_colors);
    add_cell_data(vtp, frame);
    add_cells(vtp, "Lines", frame.segments);
    add_cells(vtp, "Polys", frame.triangles);
    vtp.write(path);
}

void write_vtp(const std::string& path, const Frame& frame, const std::vector<Vec3f>& body_colors) {
    Vtp vtp(frame.count, frame.count, 0, frame.time);
    add_points(vtp, frame, body_colors);

    // one vertex cell a particle, so that ParaView shows them at once
    std::vector<std::int64_t> corners = cell_ends(frame.count, 1);
    for (auto& c : corners) --c;
    vtp.open("Verts");
    vtp.array("connectivity", corners, 1);
    vtp.array("offsets", cell_ends(frame.count, 1), 1);
    vtp.close("Verts");
    vtp.write(path);
}

void write_vtp(const std::string& path, const SurfaceMesh& mesh) {
    Vtp vtp(mesh.positions.size(), 0, mesh.faces.size(), mesh.time);
    vtp.open("PointData Normals=\"Normals\"");
    vtp.vectors("Normals", mesh.normals);
    if (!mesh.colors.empty()) vtp.vectors("Cd", mesh.colors);
    vtp.array("body", mesh.body, 1);
    for (const FrameColumn& c : mesh.columns) vtp.column(c);
    vtp.close("PointData");
    vtp.open("Points");
    vtp.vectors("Points", mesh.positions);
    vtp.close("Points");
    std::vector<std::int32_t> corners;
    corners.reserve(3 * mesh.faces.size());
    for (const auto& f : mesh.faces) corners.insert(corners.end(), {f.x, f.y, f.z});
    vtp.open("Polys");
    vtp.array("connectivity", corners, 1);
    vtp.array("offsets", cell_ends(mesh.faces.size(), 3), 1);
    vtp.close("Polys");
    vtp.write(path);
}

void write_pvd(const std::string& path,
               const std::vector<std::pair<double, std::string>>& time_and_file) {
    std::string xml =
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" "
        "byte_order=\"LittleEndian\">\n<Collection>\n";
    for (const auto& [time, file] : time_and_file)
        xml += fmt::format("<DataSet timestep=\"{:.17g}\" part=\"0\" file=\"{}\"/>\n", time, file);
    xml += "</Collection>\n</VTKFile>\n";
    AtomicFile file(path);
    file.write(xml);
    file.commit();
}

}  // namespace knead
