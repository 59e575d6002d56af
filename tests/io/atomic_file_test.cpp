#include "knead/io/atomic_file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "io/scratch_folder.h"
#include "knead/base/error.h"

namespace knead::test {
namespace {

namespace fs = std::filesystem;

std::string text_of(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
}

std::size_t files_in(const std::string& folder) {
    const fs::directory_iterator all(folder), end;
    return static_cast<std::size_t>(std::distance(all, end));
}

TEST(AtomicFile, NothingStandsUnderTheNameBeforeItIsWhole) {
    const ScratchFolder folder;
    const std::string path = folder.path + "/a";
    write_whole(path, "old");
    {
        AtomicFile file(path);
        file.write("half");
        EXPECT_EQ(text_of(path), "old");
        EXPECT_EQ(files_in(folder.path), 2u);
    }
    EXPECT_EQ(text_of(path), "old");
    EXPECT_EQ(files_in(folder.path), 1u);
    write_whole(path, "new");
    EXPECT_EQ(text_of(path), "new");
}

TEST(AtomicFile, WritersOfOneFileDoNotMix) {
    const ScratchFolder folder;
    const std::string path = folder.path + "/a";
    std::vector<std::jthread> writers;
    for (const char letter : {'a', 'b', 'c', 'd'})
        writers.emplace_back([&, letter] {
            for (int k = 0; k < 20; ++k) {
                AtomicFile file(path);
                for (int part = 0; part < 10; ++part) file.write(std::string(1000, letter));
                sweep_unfinished(folder.path);  // takes nothing that is being written
                file.commit();
            }
        });
    writers.clear();
    const std::string text = text_of(path);
    EXPECT_EQ(text, std::string(10000, text[0]));
    EXPECT_EQ(files_in(folder.path), 1u);
}

TEST(AtomicFile, ALinkAtItsNameIsReplacedAndNotFollowed) {
    const ScratchFolder folder;
    const std::string path = folder.path + "/a", target = folder.path + "/target";
    write_whole(target, "mine");
    fs::create_symlink(target, path);
    write_whole(path, "new");
    EXPECT_EQ(text_of(target), "mine");
    EXPECT_FALSE(fs::is_symlink(path));
}

// A limit on file size stands for a full disk.
TEST(AtomicFile, AFullDiskLeavesWhatWasThere) {
    const ScratchFolder folder;
    const std::string path = folder.path + "/a";
    write_whole(path, "old");
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit before{};
    getrlimit(RLIMIT_FSIZE, &before);
    const rlimit small{100, before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
    for (const std::size_t size : {101u, 100000u})
        EXPECT_THROW(write_whole(path, std::string(size, 'x')), RunError);
    write_whole(path, std::string(100, 'y'));
    setrlimit(RLIMIT_FSIZE, &before);
    EXPECT_EQ(text_of(path), std::string(100, 'y'));
    EXPECT_EQ(files_in(folder.path), 1u);
}

TEST(AtomicFile, AFolderInItsPlaceIsAnError) {
    const ScratchFolder folder;
    fs::create_directory(folder.path + "/a");
    EXPECT_THROW(write_whole(folder.path + "/a", "x"), RunError);
    EXPECT_THROW(write_whole(folder.path + "/none/a", "x"), RunError);
    EXPECT_EQ(files_in(folder.path), 1u);
}

TEST(SweepUnfinished, TakesOnlyWhatNobodyWritesAndNobodyElseMade) {
    const ScratchFolder folder;
    const auto at = [&](const char* name) { return folder.path + "/" + name; };
    for (const char* name : {"a.part", ".knead.part", ".knead-a.part", ".knead-a-1.part",
                             ".knead-a-1-x.part", ".knead-a-1-2.par", "x.knead-a-1-2.part"})
        std::ofstream(at(name)) << "mine";
    fs::create_symlink(at("a.part"), at(".knead-a-3-4.part"));
    std::ofstream(at(".knead-some-host-12-0.part")) << "left";
    std::ofstream(at(".knead-h-1-2.part")) << "left";
    const std::size_t before = files_in(folder.path);
    {
        const AtomicFile held(at("b"));
        sweep_unfinished(folder.path);
        EXPECT_EQ(files_in(folder.path), before - 1);  // two less, one more
    }
    EXPECT_EQ(files_in(folder.path), before - 2);
    EXPECT_TRUE(fs::is_symlink(at(".knead-a-3-4.part")));
    sweep_unfinished(at("no such folder"));
}

}  // namespace
}  // namespace knead::test
