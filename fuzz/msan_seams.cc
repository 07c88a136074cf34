// For MSan with Debian's libraries, which it did not compile: memory that they write stays marked
// as never written, and reading it would be reported. Each seam here stands before one of their
// functions (the linker's --wrap, by the list in meson.build), and marks what that function has
// written. Nothing else is exempt: what the library itself leaves unwritten is still found.
//
//   libstdc++    the nodes of std::map and std::set, which its compiled part links in; exception
//                objects, which it allocates and, for its own classes, fills
//   libsodium    the hash
//   RE2          its objects, and the message about a pattern that it does not take; what it
//                compares with memcmp and the like, which MSan watches, while it works
//   libFuzzer    the bytes that it mutates for a custom mutator
//
// Strings and streams need no seam: in C++23 libstdc++'s headers leave no member of std::string to
// its compiled part, and no target uses a stream. But a copy of such a member in the executable
// would be taken by the shared libraries too, which call it without MSan's bookkeeping:
// msan_seams.map keeps those symbols to the executable.
//
// Where the standard library is one that MSan compiled (OSS-Fuzz's libc++), none of this is linked.
#include <re2/re2.h>
#include <re2/set.h>
#include <sanitizer/msan_interface.h>
#include <sodium/crypto_hash_sha256.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

// The linker's names: a call of F goes to __wrap_F, and a call of __real_F to F.
using Node = std::_Rb_tree_node_base;

void real_insert(bool left, Node* node, Node* parent, Node& header) noexcept
    asm("__real__ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_");
void insert(bool left, Node* node, Node* parent, Node& header) noexcept
    asm("__wrap__ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_");
void* real_allocate_exception(std::size_t size) noexcept asm("__real___cxa_allocate_exception");
void* allocate_exception(std::size_t size) noexcept asm("__wrap___cxa_allocate_exception");

int real_sha256(unsigned char* hash, const unsigned char* text,
                unsigned long long size) asm("__real_crypto_hash_sha256");
int sha256(unsigned char* hash, const unsigned char* text,
           unsigned long long size) asm("__wrap_crypto_hash_sha256");

void real_construct(RE2* self, const re2::StringPiece& pattern, const RE2::Options& options) asm(
    "__real__ZN3re23RE2C1ERKNS_11StringPieceERKNS0_7OptionsE");
void construct(RE2* self, const re2::StringPiece& pattern, const RE2::Options& options) asm(
    "__wrap__ZN3re23RE2C1ERKNS_11StringPieceERKNS0_7OptionsE");
bool real_full_match(
    const re2::StringPiece& text, const RE2& pattern, const RE2::Arg* const groups[],
    int count) asm("__real__ZN3re23RE210FullMatchNERKNS_11StringPieceERKS0_PKPKNS0_3ArgEi");
bool full_match(
    const re2::StringPiece& text, const RE2& pattern, const RE2::Arg* const groups[],
    int count) asm("__wrap__ZN3re23RE210FullMatchNERKNS_11StringPieceERKS0_PKPKNS0_3ArgEi");
int real_add(RE2::Set* self, const re2::StringPiece& pattern, std::string* message) asm(
    "__real__ZN3re23RE23Set3AddERKNS_11StringPieceEPNSt7__cxx1112basic_stringIcSt11char_"
    "traitsIcESaIcEEE");
int add(RE2::Set* self, const re2::StringPiece& pattern, std::string* message) asm(
    "__wrap__ZN3re23RE23Set3AddERKNS_11StringPieceEPNSt7__cxx1112basic_stringIcSt11char_"
    "traitsIcESaIcEEE");
bool real_compile(RE2::Set* self) asm("__real__ZN3re23RE23Set7CompileEv");
bool compile(RE2::Set* self) asm("__wrap__ZN3re23RE23Set7CompileEv");
bool real_match(const RE2::Set* self, const re2::StringPiece& text, std::vector<int>* which, RE2::Set::ErrorInfo* error) asm(
    "__real__ZNK3re23RE23Set5MatchERKNS_11StringPieceEPSt6vectorIiSaIiEEPNS1_9ErrorInfoE");
bool match(const RE2::Set* self, const re2::StringPiece& text, std::vector<int>* which, RE2::Set::ErrorInfo* error) asm(
    "__wrap__ZNK3re23RE23Set5MatchERKNS_11StringPieceEPSt6vectorIiSaIiEEPNS1_9ErrorInfoE");

std::size_t real_mutate(std::uint8_t* data, std::size_t size,
                        std::size_t most) asm("__real_LLVMFuzzerMutate");
std::size_t mutate(std::uint8_t* data, std::size_t size,
                   std::size_t most) asm("__wrap_LLVMFuzzerMutate");

// Only the new node is unmarked: its neighbours were marked when they were the new one.
void insert(bool left, Node* node, Node* parent, Node& header) noexcept {
  real_insert(left, node, parent, header);
  __msan_unpoison(node, sizeof *node);
}

void* allocate_exception(std::size_t size) noexcept {
  void* const exception = real_allocate_exception(size);
  __msan_unpoison(exception, size);
  return exception;
}

int sha256(unsigned char* hash, const unsigned char* text, unsigned long long size) {
  __msan_check_mem_is_initialized(text, size);  // libsodium reads them unseen
  const int result = real_sha256(hash, text, size);
  __msan_unpoison(hash, crypto_hash_sha256_BYTES);
  return result;
}

namespace {

// Given is what RE2 gets to read; while one is there, what RE2 compares is not looked into.
class Given {
 public:
  explicit Given(const re2::StringPiece& text) {
    __msan_check_mem_is_initialized(text.data(), text.size());
    __msan_scoped_disable_interceptor_checks();
  }
  ~Given() { __msan_scoped_enable_interceptor_checks(); }
  Given(const Given&) = delete;
  Given& operator=(const Given&) = delete;
};

}  // namespace

void construct(RE2* self, const re2::StringPiece& pattern, const RE2::Options& options) {
  const Given given(pattern);
  real_construct(self, pattern, options);
  __msan_unpoison(self, sizeof *self);
}

bool full_match(const re2::StringPiece& text, const RE2& pattern, const RE2::Arg* const groups[],
                int count) {
  const Given given(text);
  return real_full_match(text, pattern, groups, count);
}

int add(RE2::Set* self, const re2::StringPiece& pattern, std::string* message) {
  const Given given(pattern);
  const int index = real_add(self, pattern, message);
  if (message != nullptr) {
    __msan_unpoison(message, sizeof *message);
    __msan_unpoison(message->data(), message->size());
  }
  return index;
}

bool compile(RE2::Set* self) {
  const Given given{re2::StringPiece()};
  return real_compile(self);
}

bool match(const RE2::Set* self, const re2::StringPiece& text, std::vector<int>* which,
           RE2::Set::ErrorInfo* error) {
  const Given given(text);
  return real_match(self, text, which, error);
}

std::size_t mutate(std::uint8_t* data, std::size_t size, std::size_t most) {
  const std::size_t mutated = real_mutate(data, size, most);
  __msan_unpoison(data, mutated);
  return mutated;
}
