// Files that people name: only regular ones, none too large, and no waiting.
#include "knead/base/input_file.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <fstream>

#include "io/scratch_folder.h"
#include "knead/base/error.h"
#include "knead/base/machine.h"

namespace knead {
namespace {

constexpr InputKind small{"a small file", 100};

std::string trouble_with(const std::string& path, const InputKind& kind = small) {
    try {
        read_input(path, kind);
    } catch (const InputError& error) {
        EXPECT_EQ(error.mistakes().front().place.file, path);
        EXPECT_FALSE(error.mistakes().front().remedy.empty());
        return error.mistakes().front().what;
    }
    return "";
}

bool speaks_of(const std::string& text, const std::string& what) {
    return text.find(what) != std::string::npos;
}

TEST(InputFile, GivesEveryByte) {
    const ScratchFolder folder;
    const std::string path = folder.path + "/a", bytes("a\0b\n", 4);
    std::ofstream(path, std::ios::binary) << bytes;
    EXPECT_EQ(read_input(path, small), bytes);
}

TEST(InputFile, RefusesWhatIsNoRegularFileWithoutWaiting) {
    const ScratchFolder folder;
    const std::string pipe = folder.path + "/pipe", loop = folder.path + "/loop";
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    ASSERT_EQ(symlink(loop.c_str(), loop.c_str()), 0);
    const std::string to_pipe = folder.path + "/link";
    ASSERT_EQ(symlink(pipe.c_str(), to_pipe.c_str()), 0);
    const std::string local = folder.path + "/socket";
    const int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    local.copy(address.sun_path, sizeof address.sun_path - 1);
    ASSERT_EQ(bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);

    for (const std::string& path : {pipe, to_pipe, local, std::string("/dev/zero")})
        EXPECT_TRUE(speaks_of(trouble_with(path), "not a regular file")) << path;
    EXPECT_TRUE(speaks_of(trouble_with(folder.path), "is a folder"));
    EXPECT_TRUE(speaks_of(trouble_with(loop), "circle"));
    EXPECT_TRUE(speaks_of(trouble_with(folder.path + "/none"), "no such file"));
    EXPECT_TRUE(speaks_of(trouble_with(""), "no such file"));
    EXPECT_TRUE(speaks_of(trouble_with(std::string("a\0b", 3)), "no such file"));
    EXPECT_TRUE(speaks_of(trouble_with(std::string(5000, 'a')), "cannot be read"));
    close(listener);
}

TEST(InputFile, RefusesAFileAboveTheLimitOfItsKindBeforeReadingIt) {
    const ScratchFolder folder;
    const std::string path = folder.path + "/large";
    std::ofstream(path) << std::string(101, 'a');
    EXPECT_TRUE(speaks_of(trouble_with(path), "too large"));
    ASSERT_EQ(truncate(path.c_str(), off_t{1} << 40), 0);  // without blocks on the disk
    EXPECT_TRUE(speaks_of(trouble_with(path), "too large: 1.1 TB"));
    EXPECT_TRUE(speaks_of(trouble_with(path, {"anything", ~std::uint64_t{0}}), "larger than"));
}

TEST(InputFile, LooksAtPathsWithoutThrowing) {
    const ScratchFolder folder;
    const std::string loop = folder.path + "/loop";
    ASSERT_EQ(symlink(loop.c_str(), loop.c_str()), 0);
    EXPECT_TRUE(is_folder(folder.path) && is_there(folder.path));
    for (const std::string& path : {loop, loop + "/a", std::string(5000, 'a'), std::string()})
        EXPECT_FALSE(is_folder(path) || is_there(path)) << path;
}

TEST(Machine, KnowsWhatIsLeft) {
    EXPECT_GT(available_memory(), 1e6);
    EXPECT_LT(available_memory(), 1e15);
    EXPECT_GT(available_disk("/tmp/not/there/yet"), 0);
    EXPECT_EQ(bytes_in_words(1536), "1.54 kB");
    EXPECT_EQ(bytes_in_words(23e9), "23 GB");
}

}  // namespace
}  // namespace knead
