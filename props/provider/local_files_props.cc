// LocalDataPlane: files below a sandbox's directory, and nowhere else.
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "provider/local_support.h"

namespace sandproof::local {
namespace {

class LocalFiles : public LocalTest {
 protected:
  void SetUp() override {
    LocalTest::SetUp();
    if (IsSkipped()) return;
    id_.emplace(create());
    home_ = base_ + '/' + std::string(id_->view());
  }

  // What errno was before a call is nothing to it.
  std::string write(std::string_view path, std::string_view content) {
    errno = EINTR;
    return word_of(plane_->write_file(id_->borrow(), *SandboxPath::parse(path), content, k_bound));
  }
  std::string mkdir(std::string_view path) {
    return word_of(
        plane_->mkdir(id_->borrow(), {OwnedSandboxPath(*SandboxPath::parse(path))}, k_bound));
  }
  // read gives the content, or "! " and what went wrong.
  std::string read(std::string_view path) {
    errno = EINTR;
    const auto content = plane_->read_file(id_->borrow(), *SandboxPath::parse(path), k_bound);
    return content ? content->bytes : "! " + word_of(content);
  }

  std::optional<OwnedSessionId> id_;
  std::string home_;
};

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST_F(LocalFiles, RoundTrip) {
  umask(022);
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  std::string large;
  while (large.size() < (std::size_t{1} << 20)) large += all;
  for (const std::string& content : {std::string(), std::string("x"), all, large}) {
    EXPECT_EQ(write("file", content), "");
    EXPECT_TRUE(read("file") == content);
    EXPECT_TRUE(read("/file") == content);
    EXPECT_TRUE(content_of(home_ + "/file") == content);
  }
  struct stat about{};
  EXPECT_EQ(stat((home_ + "/file").c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 07777, 0644U);
  EXPECT_EQ(write("file", "shorter"), "");
  EXPECT_EQ(read("file"), "shorter");
  EXPECT_EQ(run(*id_, {"cat file; echo changed >file"}).out, "shorter");
  EXPECT_EQ(read("file"), "changed\n");
}

TEST_F(LocalFiles, Directories) {
  EXPECT_EQ(write("a/file", "x"), "not_found");
  EXPECT_EQ(mkdir("/a/b/c"), "");
  EXPECT_EQ(mkdir("a/b/c"), "");
  EXPECT_EQ(mkdir("a/./d"), "");
  EXPECT_EQ(write("a/b/c/file", "x"), "");
  EXPECT_EQ(read("a/b/c/file"), "x");
  EXPECT_EQ(mkdir("a/b/c/file"), "conflict 409");
  EXPECT_EQ(mkdir("a/b/c/file/d"), "conflict 409");
  const auto refused =
      plane_->mkdir(id_->borrow(), {OwnedSandboxPath(*SandboxPath::parse("a/b/c/file"))}, k_bound);
  ASSERT_FALSE(refused);
  const auto& conflict = std::get<TransportError>(refused.error());
  EXPECT_TRUE(conflict.is_refusal());
  EXPECT_EQ(conflict.raw(), "File exists");
  EXPECT_TRUE(std::filesystem::is_directory(home_ + "/a/d"));
}

TEST_F(LocalFiles, WhatIsNoFile) {
  EXPECT_EQ(read("missing"), "! not_found");
  EXPECT_EQ(read("missing/file"), "! not_found");
  EXPECT_EQ(mkdir("directory"), "");
  EXPECT_EQ(write("file", "x"), "");
  EXPECT_EQ(mkfifo((home_ + "/fifo").c_str(), 0600), 0);
  EXPECT_EQ(read("file/below"), "! not_found");
  for (const std::string_view path : {"directory", "fifo"}) {
    EXPECT_EQ(read(path), "! invalid_input") << path;
    EXPECT_EQ(write(path, "x"), "invalid_input") << path;
  }
  const std::string longest(255, 'n');
  EXPECT_EQ(write(longest, "x"), "");
  EXPECT_EQ(read(longest), "x");
}

TEST_F(LocalFiles, TooLarge) {
  EXPECT_EQ(write("large", ""), "");
  std::filesystem::resize_file(home_ + "/large", k_max_local_file_size);
  EXPECT_EQ(read("large").size(), k_max_local_file_size);
  std::filesystem::resize_file(home_ + "/large", k_max_local_file_size + 1);
  EXPECT_EQ(read("large"), "! unreadable");
  const auto refused = plane_->read_file(id_->borrow(), *SandboxPath::parse("large"), k_bound);
  ASSERT_FALSE(refused);
  EXPECT_EQ(std::get<Unreadable>(refused.error()).reason, Reason::too_large);
  std::filesystem::resize_file(home_ + "/large", std::uintmax_t{1} << 40);
  EXPECT_EQ(read("large"), "! unreadable");
}

TEST_F(LocalFiles, WhatTheSystemRefusesIsToldAsThat) {
  EXPECT_EQ(mkdir("closed"), "");
  EXPECT_EQ(write("closed/file", "x"), "");
  EXPECT_EQ(chmod((home_ + "/closed/file").c_str(), 0), 0);
  EXPECT_EQ(chmod((home_ + "/closed").c_str(), 0500), 0);
  EXPECT_EQ(without_capabilities([&] { return read("closed/file"); }), "! access_denied");
  EXPECT_EQ(without_capabilities([&] { return write("closed/new", "x"); }), "access_denied");
  EXPECT_EQ(without_capabilities([&] { return mkdir("closed/new"); }), "access_denied");
  EXPECT_FALSE(std::filesystem::exists(home_ + "/closed/new"));

  const auto handler = signal(SIGXFSZ, SIG_IGN);
  const auto write_more = [&] { return write("full", std::string(2'000, 'x')); };
  EXPECT_EQ(under_limit(RLIMIT_FSIZE, 1'000, write_more), "unavailable");
  signal(SIGXFSZ, handler);
  EXPECT_EQ(read("full"), std::string(1'000, 'x'));
}

TEST_F(LocalFiles, ABoundThatHasPassed) {
  const std::string large(std::size_t{1} << 20, 'x');
  EXPECT_EQ(write("large", large), "");
  EXPECT_EQ(word_of(plane_->read_file(id_->borrow(), *SandboxPath::parse("large"), 0ms)),
            "timed_out");
  EXPECT_EQ(word_of(plane_->write_file(id_->borrow(), *SandboxPath::parse("large"), large, 0ms)),
            "timed_out");
}

TEST_F(LocalFiles, LinksThatStayInside) {
  EXPECT_EQ(run(*id_, {"mkdir a; ln -s a in; ln -s ../file a/up; echo x >file"}).exit_code, 0);
  EXPECT_EQ(read("in/up"), "x\n");
  EXPECT_EQ(write("in/new", "y"), "");
  EXPECT_EQ(read("a/new"), "y");
  EXPECT_EQ(mkdir("in/b"), "");
  EXPECT_TRUE(std::filesystem::is_directory(home_ + "/a/b"));
}

TEST_F(LocalFiles, LinksThatLeadOut) {
  const std::string outside = base_ + "-outside";
  std::filesystem::create_directory(outside);
  std::ofstream(outside + "/secret") << "secret";
  EXPECT_EQ(
      run(*id_, {"o=" + outside +
                 "; mkdir a; ln -s $o absolute; ln -s $o/secret secret; "
                 "ln -s ../../../${o##*/} a/relative; ln -s ../../../${o##*/}/secret a/secret; "
                 "ln -s $o/new new; ln -s .. up; ln -s a/relative twice; ln -s loop loop; "
                 "ln -s /proc/self/root magic; ln -s \"$PWD/a\" back"})
          .exit_code,
      0);
  ASSERT_EQ(content_of(home_ + "/a/secret"), "secret") << "the links lead nowhere";
  ASSERT_EQ(content_of(home_ + "/twice/secret"), "secret") << "the links lead nowhere";
  for (const std::string_view path :
       {"secret", "a/secret", "absolute/secret", "a/relative/secret", "twice/secret", "new",
        "absolute/new", "up/new", "loop", "magic/etc/passwd", "back/new"}) {
    EXPECT_EQ(read(path), "! access_denied") << path;
    EXPECT_EQ(write(path, "x"), "access_denied") << path;
  }
  for (const std::string_view path : {"absolute/d", "a/relative/d", "twice/d", "up/d", "magic/d"}) {
    EXPECT_EQ(mkdir(path), "access_denied") << path;
  }
  EXPECT_EQ(content_of(outside + "/secret"), "secret");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(outside), {}), 1);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(base_), {}), 1);
  std::filesystem::remove_all(outside);
}

}  // namespace
}  // namespace sandproof::local
