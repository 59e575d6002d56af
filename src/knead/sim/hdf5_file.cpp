#include "knead/sim/hdf5_file.h"

#include <hdf5.h>

#include "knead/base/error.h"

namespace knead {

namespace {

// Closes an HDF5 object when it goes.
class Handle {
public:
    Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
    ~Handle() {
        if (id_ >= 0) close_(id_);
    }
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;
    operator hid_t() const { return id_; }

private:
    hid_t id_;
    herr_t (*close_)(hid_t);
};

hid_t native(Hdf5Type type) {
    switch (type) {
        case Hdf5Type::float32:
            return H5T_NATIVE_FLOAT;
        case Hdf5Type::float64:
            return H5T_NATIVE_DOUBLE;
        case Hdf5Type::int32:
            return H5T_NATIVE_INT32;
        default:
            return H5T_NATIVE_INT64;
    }
}

void wrote(bool ok, const std::string& what) {
    if (!ok) throw RunError("cannot put `" + what + "` into the checkpoint: out of memory");
}

[[noreturn]] void unreadable(const std::string& what) {
    throw InputError({}, "the checkpoint has no usable `" + what + "`",
                     "it is damaged or was written by another version of knead: delete it and "
                     "resume from an older one");
}

// Our own messages speak; HDF5's stack traces do not.
void silence() { H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr); }

// Row k of a table, as HDF5 selects it.
Handle row_of(hid_t dataset, std::size_t k, std::size_t n) {
    const hsize_t start[2] = {k, 0}, count[2] = {1, n};
    const hid_t space = H5Dget_space(dataset);
    if (space >= 0) H5Sselect_hyperslab(space, H5S_SELECT_SET, start, nullptr, count, nullptr);
    return {space, H5Sclose};
}

// Whether a name stands for something in this file, not for a place in another one.
bool is_own(hid_t group, const std::string& name) {
    H5L_info_t info{};
    return H5Lget_info(group, name.c_str(), &info, H5P_DEFAULT) >= 0 && info.type == H5L_TYPE_HARD;
}

// Whether a table's numbers are in this file as they are: in one piece, not compressed.
bool lies_in_file(hid_t table) {
    const Handle creation(H5Dget_create_plist(table), H5Pclose);
    return creation >= 0 && H5Pget_layout(creation) == H5D_CONTIGUOUS &&
           H5Pget_external_count(creation) == 0 && H5Pget_nfilters(creation) == 0;
}

herr_t collect_link(hid_t, const char* name, const H5L_info_t*, void* names) {
    static_cast<std::vector<std::string>*>(names)->emplace_back(name);
    return 0;
}

herr_t collect_attribute(hid_t, const char* name, const H5A_info_t*, void* names) {
    static_cast<std::vector<std::string>*>(names)->emplace_back(name);
    return 0;
}

}  // namespace

template <>
Hdf5Type hdf5_type_of<float>() {
    return Hdf5Type::float32;
}
template <>
Hdf5Type hdf5_type_of<double>() {
    return Hdf5Type::float64;
}
template <>
Hdf5Type hdf5_type_of<std::int32_t>() {
    return Hdf5Type::int32;
}
template <>
Hdf5Type hdf5_type_of<std::int64_t>() {
    return Hdf5Type::int64;
}

struct Hdf5Group::Impl {
    Handle id;

    void write(const std::string& name, hid_t type, const void* value) {
        const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
        const Handle attribute(H5Acreate2(id, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT),
                               H5Aclose);
        wrote(attribute >= 0 && H5Awrite(attribute, type, value) >= 0, name);
    }
    void read(const std::string& name, hid_t type, void* value) const {
        const Handle attribute(H5Aopen(id, name.c_str(), H5P_DEFAULT), H5Aclose);
        if (attribute < 0) unreadable(name);
        const Handle space(H5Aget_space(attribute), H5Sclose);
        if (H5Sget_simple_extent_npoints(space) != 1 || H5Aread(attribute, type, value) < 0)
            unreadable(name);
    }
};

Hdf5Group::Hdf5Group(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Hdf5Group::Hdf5Group(Hdf5Group&&) noexcept = default;
Hdf5Group::~Hdf5Group() = default;

Hdf5Group Hdf5Group::create(const std::string& name) {
    const hid_t id = H5Gcreate2(impl_->id, name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    wrote(id >= 0, name);
    return Hdf5Group(std::unique_ptr<Impl>(new Impl{{id, H5Gclose}}));
}

Hdf5Group Hdf5Group::open(const std::string& name) const {
    if (!is_own(impl_->id, name)) unreadable(name);
    const hid_t id = H5Gopen2(impl_->id, name.c_str(), H5P_DEFAULT);
    if (id < 0) unreadable(name);
    return Hdf5Group(std::unique_ptr<Impl>(new Impl{{id, H5Gclose}}));
}

bool Hdf5Group::has(const std::string& name) const {
    return H5Lexists(impl_->id, name.c_str(), H5P_DEFAULT) > 0;
}

std::vector<std::string> Hdf5Group::names() const {
    std::vector<std::string> names;
    H5Literate(impl_->id, H5_INDEX_NAME, H5_ITER_INC, nullptr, collect_link, &names);
    return names;
}

std::vector<std::string> Hdf5Group::number_names() const {
    std::vector<std::string> names;
    H5Aiterate2(impl_->id, H5_INDEX_NAME, H5_ITER_INC, nullptr, collect_attribute, &names);
    return names;
}

void Hdf5Group::write_number(const std::string& name, double value) {
    impl_->write(name, H5T_NATIVE_DOUBLE, &value);
}

void Hdf5Group::write_number(const std::string& name, std::int64_t value) {
    impl_->write(name, H5T_NATIVE_INT64, &value);
}

double Hdf5Group::read_double(const std::string& name) const {
    double value = 0;
    impl_->read(name, H5T_NATIVE_DOUBLE, &value);
    return value;
}

std::int64_t Hdf5Group::read_integer(const std::string& name) const {
    std::int64_t value = 0;
    impl_->read(name, H5T_NATIVE_INT64, &value);
    return value;
}

void Hdf5Group::write_table(const std::string& name, Hdf5Type type,
                            const std::vector<const void*>& rows, std::size_t n) {
    const hsize_t extent[2] = {rows.size(), n}, length = n;
    const Handle space(H5Screate_simple(2, extent, nullptr), H5Sclose);
    const Handle memory(H5Screate_simple(1, &length, nullptr), H5Sclose);
    const Handle table(H5Dcreate2(impl_->id, name.c_str(), native(type), space, H5P_DEFAULT,
                                  H5P_DEFAULT, H5P_DEFAULT),
                       H5Dclose);
    wrote(table >= 0, name);
    if (n == 0) return;
    for (std::size_t k = 0; k < rows.size(); ++k)
        wrote(H5Dwrite(table, native(type), memory, row_of(table, k, n), H5P_DEFAULT, rows[k]) >= 0,
              name);
}

std::size_t Hdf5Group::table_length(const std::string& name, Hdf5Type type,
                                    std::size_t rows) const {
    if (!is_own(impl_->id, name)) unreadable(name);
    const Handle table(H5Dopen2(impl_->id, name.c_str(), H5P_DEFAULT), H5Dclose);
    if (table < 0 || !lies_in_file(table)) unreadable(name);
    const Handle space(H5Dget_space(table), H5Sclose);
    const Handle stored(H5Dget_type(table), H5Tclose);
    hsize_t extent[2] = {0, 0};
    const bool fits = H5Sget_simple_extent_ndims(space) == 2 &&
                      H5Sget_simple_extent_dims(space, extent, nullptr) == 2 && extent[0] == rows &&
                      H5Tequal(stored, native(type)) > 0;
    // A table is as long as what is stored of it: no length is believed before that.
    const bool whole = fits && H5Dget_storage_size(table) / H5Tget_size(stored) / rows == extent[1];
    if (!whole) unreadable(name);
    return extent[1];
}

void Hdf5Group::read_table(const std::string& name, Hdf5Type type, const std::vector<void*>& rows,
                           std::size_t n) const {
    if (table_length(name, type, rows.size()) != n) unreadable(name);
    if (n == 0) return;
    const hsize_t length = n;
    const Handle table(H5Dopen2(impl_->id, name.c_str(), H5P_DEFAULT), H5Dclose);
    const Handle memory(H5Screate_simple(1, &length, nullptr), H5Sclose);
    for (std::size_t k = 0; k < rows.size(); ++k)
        if (H5Dread(table, native(type), memory, row_of(table, k, n), H5P_DEFAULT, rows[k]) < 0)
            unreadable(name);
}

Hdf5Writer::Hdf5Writer(std::size_t user_block) : user_block_(user_block) {
    silence();
    const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    const Handle creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
    H5Pset_fapl_core(access, std::size_t{16} << 20, false);
    // In this form of the file everything but the numbers has a checksum of its own: HDF5 follows
    // no pointer that is not as it was written.
    H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18);
    H5Pset_alignment(access, 1, sizeof(double));  // as the form before had it by itself
    H5Pset_userblock(creation, user_block);
    file_ = H5Fcreate("checkpoint", H5F_ACC_TRUNC, creation, access);
    wrote(file_ >= 0, "file");
}

Hdf5Writer::~Hdf5Writer() { H5Fclose(file_); }

Hdf5Group Hdf5Writer::root() {
    return Hdf5Group(std::unique_ptr<Hdf5Group::Impl>(
        new Hdf5Group::Impl{{H5Gopen2(file_, "/", H5P_DEFAULT), H5Gclose}}));
}

std::string_view Hdf5Writer::bytes() {
    wrote(H5Fflush(file_, H5F_SCOPE_GLOBAL) >= 0, "bytes");
    // For a file in memory the "handle" is the address of the pointer to its bytes. They are
    // allocated in large pieces; only the image's size is in use.
    void* handle = nullptr;
    const ssize_t size = H5Fget_file_image(file_, nullptr, 0);
    wrote(size >= 0 && H5Fget_vfd_handle(file_, H5P_DEFAULT, &handle) >= 0, "bytes");
    const char* start = *static_cast<const char* const*>(handle);
    return {start + user_block_, static_cast<std::size_t>(size)};
}

Hdf5Reader::Hdf5Reader(const std::string& path) : path_(path) {
    silence();
    file_ = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file_ < 0) throw InputError({path}, "not a readable HDF5 file");
}

Hdf5Reader::~Hdf5Reader() { H5Fclose(file_); }

Hdf5Group Hdf5Reader::root() const {
    return Hdf5Group(std::unique_ptr<Hdf5Group::Impl>(
        new Hdf5Group::Impl{{H5Gopen2(file_, "/", H5P_DEFAULT), H5Gclose}}));
}

}  // namespace knead
