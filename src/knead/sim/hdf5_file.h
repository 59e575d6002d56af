// The little of HDF5 that checkpoints need, without its header: groups with numbers as attributes
// and tables of numbers.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace knead {

enum class Hdf5Type { float32, float64, int32, int64 };
template <class T>
Hdf5Type hdf5_type_of();

// A group that is open for writing or for reading. Trouble throws RunError when writing and
// InputError when reading.
class Hdf5Group {
public:
    ~Hdf5Group();
    Hdf5Group(Hdf5Group&&) noexcept;

    Hdf5Group create(const std::string& name);
    Hdf5Group open(const std::string& name) const;
    bool has(const std::string& name) const;
    std::vector<std::string> names() const;  // of groups and tables within

    void write_number(const std::string& name, double value);
    void write_number(const std::string& name, std::int64_t value);
    double read_double(const std::string& name) const;
    std::int64_t read_integer(const std::string& name) const;
    std::vector<std::string> number_names() const;

    // A table of rows x n numbers; rows[k] points at row k.
    void write_table(const std::string& name, Hdf5Type type, const std::vector<const void*>& rows,
                     std::size_t n);
    // The length of the rows, after checking type and count.
    std::size_t table_length(const std::string& name, Hdf5Type type, std::size_t rows) const;
    void read_table(const std::string& name, Hdf5Type type, const std::vector<void*>& rows,
                    std::size_t n) const;

private:
    friend class Hdf5Writer;
    friend class Hdf5Reader;
    struct Impl;
    explicit Hdf5Group(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

// A file that is put together in memory: HDF5 does not survive a full disk well, so it never
// touches one while writing.
class Hdf5Writer {
public:
    explicit Hdf5Writer(std::size_t user_block);
    ~Hdf5Writer();
    Hdf5Group root();
    // All bytes after the user block; valid until the writer goes.
    std::string_view bytes();

private:
    std::size_t user_block_;
    std::int64_t file_;
};

class Hdf5Reader {
public:
    explicit Hdf5Reader(const std::string& path);
    ~Hdf5Reader();
    Hdf5Group root() const;

private:
    std::string path_;
    std::int64_t file_;
};

}  // namespace knead
