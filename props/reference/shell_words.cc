#include "shell_words.h"

namespace sandproof::reference {
namespace {

enum class Quotes { none, single, twofold };

bool is_one_of(char c, std::string_view characters) {
  return characters.find(c) != std::string_view::npos;
}

// special_here names what an unquoted character means to the shell, or is empty for a character of
// a word.
std::string special_here(char c, bool starts_word, bool in_first_word) {
  if (is_one_of(c, "|&;<>()")) return "operator";
  if (is_one_of(c, "$`")) return "expansion";
  if (is_one_of(c, "*?[")) return "pattern";
  if (c == '#' && starts_word) return "comment";
  if (c == '~' && starts_word) return "tilde";
  if (c == '=' && in_first_word) return "assignment";
  return "";
}

class WordReader {
 public:
  explicit WordReader(std::string_view text) : text_(text) {}

  ShellWords read() {
    if (is_one_of('\0', text_)) why_ = "nul";
    while (why_.empty() && at_ < text_.size()) {
      if (quotes_ == Quotes::none) {
        read_unquoted();
      } else if (quotes_ == Quotes::single) {
        read_single_quoted();
      } else {
        read_double_quoted();
      }
    }
    if (why_.empty() && quotes_ != Quotes::none) why_ = "unterminated quote";
    if (why_.empty()) end_word();
    return {why_.empty(), words_, why_};
  }

 private:
  // XCU 2.3, one character.
  void read_unquoted() {
    const char c = text_[at_];
    if (c == '\\') {
      read_escape();
      return;
    }
    ++at_;
    if (c == ' ' || c == '\t') {
      end_word();
    } else if (c == '\n') {
      end_word();
      command_ended_ = !words_.empty();
    } else if (c == '\'') {
      begin_word();
      quotes_ = Quotes::single;
    } else if (c == '"') {
      begin_word();
      quotes_ = Quotes::twofold;
    } else {
      const std::string special = special_here(c, !in_word_, words_.empty());
      if (special.empty()) {
        begin_word();
        word_ += c;
      } else {
        why_ = special;
      }
    }
  }

  // XCU 2.2.1: a backslash preserves the next character; with a newline it is a line continuation,
  // which is removed before there are any tokens.
  void read_escape() {
    if (at_ + 1 == text_.size()) {
      why_ = "backslash at the end";
      return;
    }
    const char escaped = text_[at_ + 1];
    at_ += 2;
    if (escaped == '\n') return;
    begin_word();
    word_ += escaped;
  }

  // XCU 2.2.2.
  void read_single_quoted() {
    const char c = text_[at_];
    ++at_;
    if (c == '\'') {
      quotes_ = Quotes::none;
    } else {
      word_ += c;
    }
  }

  // XCU 2.2.3: a backslash is one only before the five characters that it escapes.
  void read_double_quoted() {
    const char c = text_[at_];
    ++at_;
    if (c == '"') {
      quotes_ = Quotes::none;
    } else if (is_one_of(c, "$`")) {
      why_ = "expansion";
    } else if (c == '\\' && at_ < text_.size() && is_one_of(text_[at_], "$`\"\\\n")) {
      if (text_[at_] != '\n') word_ += text_[at_];
      ++at_;
    } else {
      word_ += c;
    }
  }

  void begin_word() {
    if (!in_word_ && command_ended_) why_ = "second command";
    in_word_ = true;
  }

  void end_word() {
    if (in_word_) words_.push_back(word_);
    word_.clear();
    in_word_ = false;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  Quotes quotes_ = Quotes::none;
  std::string word_;
  bool in_word_ = false;  // A word has begun; it may still be empty, as '' is.
  bool command_ended_ = false;
  std::vector<std::string> words_;
  std::string why_;
};

}  // namespace

ShellWords shell_words(std::string_view text) { return WordReader(text).read(); }

}  // namespace sandproof::reference
