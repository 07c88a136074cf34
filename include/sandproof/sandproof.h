/* The C interface: every decision of the library, and the operations of its provider, for C99, C++,
 * and whatever can call C.
 *
 * What holds everywhere:
 *
 * - Every function that can fail answers a sandproof_status. An output is written only with the
 *   status that it belongs to: a result with SANDPROOF_ACCEPTED, a refusal with SANDPROOF_REFUSED,
 *   an unreadable with SANDPROOF_UNREADABLE. With any other status it is left as it was.
 * - A pointer may be NULL only where its comment says so. NULL elsewhere, a text or a list that is
 *   larger than PTRDIFF_MAX bytes, and a number that is none of its enum's are SANDPROOF_BAD_CALL.
 * - Texts are bytes with a size. None needs a final NUL and none gets one; any byte may stand in an
 *   input. A list of no elements and a text of no bytes may have a NULL pointer.
 * - A result that is a part of an input is a view: it borrows the caller's bytes. A result that is
 *   a new text goes into the caller's buffer (sandproof_buffer). A result that is a structure is
 * one opaque object, which the caller frees with the one function for it. Nothing else stays
 *   allocated; where a function needs memory while it works, its comment says "allocates".
 * - Memory that cannot be had is SANDPROOF_NO_MEMORY: nothing leaks, and the call may be made
 *   again. Only feed and finish of a report reader, and answer and fail of an operation, may lose
 *   their object by it; every further call with that but its free function is then
 *   SANDPROOF_BAD_CALL. No exception leaves a function. (No other is known; it would be
 *   SANDPROOF_BAD_CALL.)
 * - There is no global state. Calls are safe at the same time in any number of threads; one object
 *   may be read by many at once; a report reader and an operation are for one thread at a time.
 * - Only the numbers below cross the boundary, as int32_t. A number never changes its meaning, and
 *   further ones may be added behind the last: treat what you do not know as "no".
 *
 *   sandproof_text id = {text, strlen(text)};
 *   sandproof_refusal refusal;
 *   if (sandproof_session_id_parse(id, &id, &refusal) != SANDPROOF_ACCEPTED) return false;
 */
/* NOLINTBEGIN(modernize-*, readability-identifier-naming): this is C. */
#ifndef SANDPROOF_SANDPROOF_H_
#define SANDPROOF_SANDPROOF_H_

#include <stddef.h>
#include <stdint.h>

#include "sandproof/version.h"

#ifdef __cplusplus
#define SANDPROOF_NOEXCEPT noexcept
#define SANDPROOF_ENUM enum : int32_t
extern "C" {
#else
#define SANDPROOF_NOEXCEPT
#define SANDPROOF_ENUM enum
#endif

/* ---- Version. ---- */

/* sandproof_version gives "MAJOR.MINOR.PATCH" of the library that is loaded: a constant that ends
 * with NUL. version.h has that of the headers that a caller was built with. */
const char* sandproof_version(void) SANDPROOF_NOEXCEPT;

/* ---- What calls take and give. ---- */

/* sandproof_status is the answer of every call.
 *   ACCEPTED    the result was written
 *   REFUSED     the input may not be used; the refusal says why and where
 *   UNREADABLE  the JSON could not be read; the unreadable says why and where
 *   TOO_SMALL   the buffer's capacity is too small; its size says how much is needed
 *   NO_MEMORY   make the same call again later, or give up: nothing was decided
 *   BAD_CALL    a defect of the caller: nothing was decided */
typedef int32_t sandproof_status;
SANDPROOF_ENUM{SANDPROOF_ACCEPTED = 0,  SANDPROOF_REFUSED = 1,   SANDPROOF_UNREADABLE = 2,
               SANDPROOF_TOO_SMALL = 3, SANDPROOF_NO_MEMORY = 4, SANDPROOF_BAD_CALL = 5};

/* sandproof_text is `size` bytes at `data`. */
typedef struct sandproof_text {
  const char* data;
  size_t size;
} sandproof_text;

/* sandproof_buffer is the caller's room for a text. The caller sets `data` and `capacity`; with
 * ACCEPTED and with TOO_SMALL, `size` is the exact size of the text. With TOO_SMALL not one byte
 * was written. A first call with capacity 0 (`data` may be NULL then) asks for the size. A buffer
 * must not overlap an input. */
typedef struct sandproof_buffer {
  char* data;
  size_t capacity;
  size_t size;
} sandproof_buffer;

/* sandproof_reason says why an input was refused or could not be read. */
typedef int32_t sandproof_reason;
SANDPROOF_ENUM{SANDPROOF_REASON_EMPTY = 0,
               SANDPROOF_REASON_TOO_LONG = 1,
               SANDPROOF_REASON_FORBIDDEN_BYTE = 2,
               SANDPROOF_REASON_TRAILING_SLASH = 3,
               SANDPROOF_REASON_NUL = 4,
               SANDPROOF_REASON_INVALID_UTF8 = 5,
               SANDPROOF_REASON_CONTROL_BYTE = 6,
               SANDPROOF_REASON_EMPTY_SEGMENT = 7,
               SANDPROOF_REASON_PARENT_SEGMENT = 8,
               SANDPROOF_REASON_SEGMENT_TOO_LONG = 9,
               SANDPROOF_REASON_DUPLICATE_PATH = 10,
               SANDPROOF_REASON_LEADING_DIGIT = 11,
               SANDPROOF_REASON_REFUSED_FAMILY = 12,
               SANDPROOF_REASON_DUPLICATE_NAME = 13,
               SANDPROOF_REASON_NOT_DIGITS = 14,
               SANDPROOF_REASON_FUNCTION_VALUE = 15,
               SANDPROOF_REASON_MALFORMED = 16,
               SANDPROOF_REASON_TOO_SHORT = 17,
               SANDPROOF_REASON_NO_PROGRAM = 18,
               SANDPROOF_REASON_ASSIGNMENT_PROGRAM = 19,
               SANDPROOF_REASON_EMPTY_CWD = 20,
               SANDPROOF_REASON_BAD_LENGTH = 21,
               SANDPROOF_REASON_EMPTY_LIST = 22,
               SANDPROOF_REASON_NON_ASCII = 23,
               SANDPROOF_REASON_WHITESPACE = 24,
               SANDPROOF_REASON_LIST = 25,
               SANDPROOF_REASON_SCHEME = 26,
               SANDPROOF_REASON_USERINFO = 27,
               SANDPROOF_REASON_IP_LITERAL = 28,
               SANDPROOF_REASON_PATH = 29,
               SANDPROOF_REASON_PORT = 30,
               SANDPROOF_REASON_LEADING_DOT = 31,
               SANDPROOF_REASON_WILDCARD = 32,
               SANDPROOF_REASON_EMPTY_LABEL = 33,
               SANDPROOF_REASON_BAD_LABEL = 34,
               SANDPROOF_REASON_REFUSED_DOMAIN = 35,
               SANDPROOF_REASON_UNKNOWN_STATE = 36,
               SANDPROOF_REASON_TOO_LARGE = 37,
               SANDPROOF_REASON_BYTE_ORDER_MARK = 38,
               SANDPROOF_REASON_NOT_JSON = 39,
               SANDPROOF_REASON_TOO_DEEP = 40,
               SANDPROOF_REASON_DUPLICATE_KEY = 41,
               SANDPROOF_REASON_KEY_CASE = 42,
               SANDPROOF_REASON_WRONG_TYPE = 43,
               SANDPROOF_REASON_OUT_OF_RANGE = 44,
               SANDPROOF_REASON_UNKNOWN_FIELD = 45,
               SANDPROOF_REASON_MISSING_FIELD = 46,
               SANDPROOF_REASON_UNKNOWN_SHAPE = 47};

/* sandproof_subject says what kind of value was refused. */
typedef int32_t sandproof_subject;
SANDPROOF_ENUM{SANDPROOF_SUBJECT_SESSION_ID = 0,     SANDPROOF_SUBJECT_PATH = 1,
               SANDPROOF_SUBJECT_ENV_NAME = 2,       SANDPROOF_SUBJECT_ENV_VALUE = 3,
               SANDPROOF_SUBJECT_WORD = 4,           SANDPROOF_SUBJECT_WORKING_DIRECTORY = 5,
               SANDPROOF_SUBJECT_COMMAND = 6,        SANDPROOF_SUBJECT_DEADLINE = 7,
               SANDPROOF_SUBJECT_CALL_ID = 8,        SANDPROOF_SUBJECT_DOMAIN = 9,
               SANDPROOF_SUBJECT_EGRESS = 10,        SANDPROOF_SUBJECT_STATE = 11,
               SANDPROOF_SUBJECT_CONFIGURATION = 12, SANDPROOF_SUBJECT_DOCUMENT = 13};

/* SANDPROOF_NO_PLACE stands where a refusal has no offset or belongs to no entry of a list. */
#define SANDPROOF_NO_PLACE ((size_t)-1)

/* sandproof_refusal is a whole "no". Nothing of the input is in it.
 *   offset  byte of the original input, from 0, or SANDPROOF_NO_PLACE
 *   word    entry of a list (words, variables, domains, paths), from 0, or SANDPROOF_NO_PLACE */
typedef struct sandproof_refusal {
  sandproof_subject subject;
  sandproof_reason reason;
  size_t offset;
  size_t word;
} sandproof_refusal;

/* sandproof_name_rule is a deployment's own rule about names, on top of the built-in ones.
 * `refuses` is called with `context` and a name, and answers 0 only if the name may be used: a rule
 * that cannot decide must refuse. It must return, and must not throw. Where a call takes a rule,
 * NULL is "none". */
typedef struct sandproof_name_rule {
  int32_t (*refuses)(void* context, sandproof_text name);
  void* context;
} sandproof_name_rule;

/* ---- Messages. ---- */

/* sandproof_reason_code and its like give the stable name of a number: a view of a constant.
 *   SANDPROOF_REASON_FORBIDDEN_BYTE: "forbidden_byte"   SANDPROOF_SUBJECT_PATH: "path" */
sandproof_status sandproof_reason_code(sandproof_reason reason,
                                       sandproof_text* code) SANDPROOF_NOEXCEPT;
sandproof_status sandproof_subject_name(sandproof_subject subject,
                                        sandproof_text* name) SANDPROOF_NOEXCEPT;

/* sandproof_refusal_explain renders a refusal of `input` as one sentence: what was given (escaped
 * and cut; a variable's value is never shown), what is wrong, where, and what to do. The sentence
 * is printable ASCII whatever `input` holds. Where the refusal names an entry of a list, `input` is
 * that entry. O(size of the sentence), allocates. */
sandproof_status sandproof_refusal_explain(const sandproof_refusal* refusal, sandproof_text input,
                                           sandproof_buffer* sentence) SANDPROOF_NOEXCEPT;

/* sandproof_escaped renders foreign bytes as printable ASCII between double quotes, and cuts past
 * `max_shown` bytes. For logs: JSON pointers hold names from outside. Allocates. */
sandproof_status sandproof_escaped(sandproof_text bytes, size_t max_shown,
                                   sandproof_buffer* text) SANDPROOF_NOEXCEPT;

/* ---- Session ids. ---- */

#define SANDPROOF_MAX_SESSION_ID_SIZE 63

/* sandproof_session_id_parse accepts 1..63 bytes of [A-Za-z0-9_-], the one thing of a caller's that
 * goes into a URL. Refuses `empty`, `too_long`, `forbidden_byte`. `id` is a view. O(1), allocates
 * nothing. */
sandproof_status sandproof_session_id_parse(sandproof_text text, sandproof_text* id,
                                            sandproof_refusal* refusal) SANDPROOF_NOEXCEPT;

/* sandproof_addressable_id_parse accepts the same alphabet without the length bound: an id to
 * delete by, and for nothing else. Refuses `empty`, `forbidden_byte`. O(n), allocates nothing. */
sandproof_status sandproof_addressable_id_parse(sandproof_text text, sandproof_text* id,
                                                sandproof_refusal* refusal) SANDPROOF_NOEXCEPT;

/* ---- Paths. ---- */

#define SANDPROOF_MAX_PATH_SIZE 4095
#define SANDPROOF_MAX_SEGMENT_SIZE 255

/* sandproof_path_parse accepts a path for a sandbox's file calls; `path` is a view of what to send,
 * without the leading slashes. Refuses, in this order, `trailing_slash`, `empty`, `too_long`,
 * `nul`, `invalid_utf8`, `control_byte`, then the leftmost segment that is `empty_segment`,
 * `parent_segment` or `segment_too_long`. Nothing is decoded. O(n), allocates nothing.
 *   "/work/app.py" gives "work/app.py"; "a/../b" is parent_segment at byte 2 */
sandproof_status sandproof_path_parse(sandproof_text text, sandproof_text* path,
                                      sandproof_refusal* refusal) SANDPROOF_NOEXCEPT;

/* sandproof_path_write_order gives the order in which files are written: order[0..count) are the
 * indices of `paths`, sorted by the bytes of the path that is sent. `order` has room for `count`;
 * it may be NULL when that is 0. Refuses what sandproof_path_parse refuses, then two names of one
 * path as `duplicate_path`; `word` is the index. O(n log n), allocates. */
sandproof_status sandproof_path_write_order(const sandproof_text* paths, size_t count,
                                            size_t* order,
                                            sandproof_refusal* refusal) SANDPROOF_NOEXCEPT;

/* ---- Environment variables. ---- */

#define SANDPROOF_MAX_ENV_NAME_SIZE 256
#define SANDPROOF_MAX_ENV_ENTRY_SIZE 131071

/* sandproof_env_entry is a variable, as a caller gives it. */
typedef struct sandproof_env_entry {
  sandproof_text name;
  sandproof_text value;
} sandproof_env_entry;

/* sandproof_family_set chooses how much of the table of refused names applies. */
typedef int32_t sandproof_family_set;
SANDPROOF_ENUM{
    SANDPROOF_FAMILY_SET_BASELINE = 0, SANDPROOF_FAMILY_SET_STRICT = 1 /* use this one */
};

/* sandproof_env_name_parse accepts [A-Za-z_][A-Za-z0-9_]* of at most 256 bytes. Refuses `empty`,
 * `too_long`, `leading_digit`, `forbidden_byte`. `name` is a view. O(1), allocates nothing. */
sandproof_status sandproof_env_name_parse(sandproof_text text, sandproof_text* name,
                                          sandproof_refusal* refusal) SANDPROOF_NOEXCEPT;

/* sandproof_env_variable_check accepts a variable for one command: refuses what
 * sandproof_env_name_parse refuses, then in the value `nul`, `invalid_utf8`, and NAME=VALUE over
 * 131,071 bytes `too_long`. O(n), allocates nothing. */
sandproof_status sandproof_env_variable_check(sandproof_text name, sandproof_text value,
                                              sandproof_refusal* refusal) SANDPROOF_NOEXCEPT;

/* sandproof_session_name_parse accepts a variable's name for a whole session: refuses what
 * sandproof_env_name_parse refuses, then `refused_family` by the table or by `also`. */
sandproof_status sandproof_session_name_parse(sandproof_text text, sandproof_family_set set,
                                              const sandproof_name_rule* also, sandproof_text* name,
                                              sandproof_refusal* refusal) SANDPROOF_NOEXCEPT;

/* sandproof_session_variable_check accepts a variable for a whole session: refuses what
 * sandproof_session_name_parse and then sandproof_env_variable_check refuse; then, in the strict
 * set, `not_digits` (COLUMNS and LINES) and `function_value`. O(n), allocates nothing. */
sandproof_status sandproof_session_variable_check(sandproof_text name, sandproof_text value,
                                                  sandproof_family_set set,
                                                  const sandproof_name_rule* also,
                                                  sandproof_refusal* refusal) SANDPROOF_NOEXCEPT;

/* sandproof_session_environment_check accepts everything that a session is created with. It refuses
 * by phases: every name, every family, every value, then `duplicate_name`; `word` is the variable.
 * O(n log n) in the number of entries, allocates. */
sandproof_status sandproof_session_environment_check(const sandproof_env_entry* variables,
                                                     size_t count, sandproof_family_set set,
                                                     const sandproof_name_rule* also,
                                                     sandproof_refusal* refusal) SANDPROOF_NOEXCEPT;

/* ---- Configured text. ---- */

#define SANDPROOF_MAX_PLAIN_TEXT_SIZE 1024

/* sandproof_plain_text_parse accepts 1..1,024 bytes of UTF-8 without control bytes: an image's
 * name, an amount of memory. Refuses `empty`, `too_long`, `invalid_utf8`, `control_byte`. `value`
 * is a view. O(n), allocates. */
sandproof_status sandproof_plain_text_parse(sandproof_text text, sandproof_text* value,
                                            sandproof_refusal* refusal) SANDPROOF_NOEXCEPT;

/* ---- Deadlines, in milliseconds. ---- */

#define SANDPROOF_MIN_DEADLINE_MS 1
#define SANDPROOF_MAX_DEADLINE_MS 86400000
#define SANDPROOF_GUARD_MARGIN_MS 10000

/* sandproof_deadline_parse reads [0-9]{1,15}(\.[0-9]{1,3})?(ms|s|m|h), a whole number of
 * milliseconds from 1 ms to 24 h. Refuses `empty`, `malformed`, `too_short`, `too_long`, without
 * offsets. O(1), allocates nothing.
 *   "1.5s" gives 1500 */
sandproof_status sandproof_deadline_parse(sandproof_text text, int64_t* milliseconds,
                                          sandproof_refusal* refusal) SANDPROOF_NOEXCEPT;

/* sandproof_deadline_guard gives how long a caller waits before it gives the call up: deadline +
 * 10 s. Refuses `too_short` and `too_long`. */
sandproof_status sandproof_deadline_guard(int64_t milliseconds, int64_t* guard_milliseconds,
                                          sandproof_refusal* refusal) SANDPROOF_NOEXCEPT;

/* sandproof_deadline_seconds writes a deadline as POSIX `sleep` reads it: "30", "1.500". At most 15
 * bytes. Refuses `too_short` and `too_long`. Allocates nothing. */
sandproof_status sandproof_deadline_seconds(int64_t milliseconds, sandproof_buffer* seconds,
                                            sandproof_refusal* refusal) SANDPROOF_NOEXCEPT;

/* sandproof_is_credible_kill says (0 or 1) whether a deadline kill may be believed: at least 99 %
 * of the deadline has passed on the caller's own clock since the call was sent. Refuses a deadline
 * that is `too_short` or `too_long`. */
sandproof_status sandproof_is_credible_kill(int64_t deadline_milliseconds,
                                            int64_t elapsed_milliseconds, int32_t* credible,
                                            sandproof_refusal* refusal) SANDPROOF_NOEXCEPT;

/* ---- Call ids. ---- */

#define SANDPROOF_CALL_ID_SIZE 32
#define SANDPROOF_CALL_ID_RANDOM_SIZE 16

/* sandproof_call_id_parse accepts 32 lower-case hex digits. Refuses `bad_length`, `forbidden_byte`.
 * `id` is a view. O(1), allocates nothing. */
sandproof_status sandproof_call_id_parse(sandproof_text text, sandproof_text* id,
                                         sandproof_refusal* refusal) SANDPROOF_NOEXCEPT;

/* sandproof_call_id_from_random spells the 16 random bytes at `random`, which the caller draws
 * afresh for each call: nothing here has randomness. `id` takes 32 bytes. Allocates nothing. */
sandproof_status sandproof_call_id_from_random(const uint8_t* random,
                                               sandproof_buffer* id) SANDPROOF_NOEXCEPT;

/* sandproof_scheme is how the wrapper reports. SEALED, the one to use, takes a call id, and a
 * command cannot forge its report by reading. NONCE is for sandboxes without sha256sum, never
 * attests, and takes an empty call id (another one is BAD_CALL). */
typedef int32_t sandproof_scheme;
SANDPROOF_ENUM{SANDPROOF_SCHEME_SEALED = 0, SANDPROOF_SCHEME_NONCE = 1};

/* ---- Shell text. ---- */

#define SANDPROOF_MAX_SHELL_TEXT_SIZE 131071
#define SANDPROOF_MAX_WORKING_DIRECTORY_SIZE 4095

/* sandproof_quote quotes each word for a POSIX shell and joins them by one space. Refuses `nul` at
 * its word and byte. O(n), allocates.
 *   echo, it's  gives  'echo' 'it'\''s' */
sandproof_status sandproof_quote(const sandproof_text* words, size_t count,
                                 sandproof_buffer* quoted,
                                 sandproof_refusal* refusal) SANDPROOF_NOEXCEPT;

/* sandproof_command is a command, as a caller gives it. `working_directory` is NULL where none is
 * wanted. */
typedef struct sandproof_command {
  const sandproof_text* words;
  size_t word_count;
  const sandproof_env_entry* variables;
  size_t variable_count;
  const sandproof_text* working_directory;
} sandproof_command;

/* sandproof_command_check accepts a command that a shell text can be built of. Refuses, in this
 * order, `no_program`; `nul`, then `invalid_utf8`, in the words and the working directory; what
 * sandproof_env_variable_check refuses of the variables, then `duplicate_name`;
 * `assignment_program`; `empty_cwd`; `too_long`. `word` is the index of the word, or of the
 * variable where the subject is one. O(n), O(n log n) in the number of variables; allocates. */
sandproof_status sandproof_command_check(const sandproof_command* command,
                                         sandproof_refusal* refusal) SANDPROOF_NOEXCEPT;

/* sandproof_bounded_shell builds the one string to send to a sandbox's exec call: it runs the
 * words, ends them at the deadline, and reports on standard error. The working directory is not in
 * it: it is sent beside it. Refuses what sandproof_command_check refuses, then the deadline as
 * `too_short` or `too_long`, then the call id as sandproof_call_id_parse does. The text is at most
 * 131,071 bytes. O(n), allocates. */
sandproof_status sandproof_bounded_shell(const sandproof_command* command, int64_t milliseconds,
                                         sandproof_scheme scheme, sandproof_text call_id,
                                         sandproof_buffer* shell,
                                         sandproof_refusal* refusal) SANDPROOF_NOEXCEPT;

/* ---- Reports: was the command ended at its deadline? ---- */

/* sandproof_outcome is what a stream shows of a call.
 *   RAN         the wrapper announced itself, so the command was about to start
 *   NOT_RUN     the sandbox claims that it could not bound the command; a claim, never a proof
 *   UNVERIFIED  nothing can be told: the command may have run */
typedef int32_t sandproof_outcome;
SANDPROOF_ENUM{SANDPROOF_OUTCOME_RAN = 0, SANDPROOF_OUTCOME_NOT_RUN = 1,
               SANDPROOF_OUTCOME_UNVERIFIED = 2};

/* sandproof_report is what one stream says.
 *   killed    0 or 1: the deadline ended the command; believe it where
 *             sandproof_is_credible_kill does
 *   attested  0 or 1: the wrapper reached its own end; not that the deadline held
 *   preamble  what stood before the announcement: the shell's own warnings
 *   before    the command's own standard error in front of the report, which was removed,
 *   after     and behind it
 *   tool      what was missing, where a sealed wrapper refused */
typedef struct sandproof_report {
  sandproof_outcome outcome;
  int32_t killed;
  int32_t attested;
  sandproof_text preamble;
  sandproof_text before;
  sandproof_text after;
  sandproof_text tool;
} sandproof_report;

/* sandproof_report_read reads a whole stream. `exit_code` is NULL where the service gave none. The
 * report's texts are views of `standard_error`. Refuses the call id as sandproof_call_id_parse
 * does. O(n) whatever the stream holds, allocates nothing. */
sandproof_status sandproof_report_read(sandproof_scheme scheme, sandproof_text call_id,
                                       const int32_t* exit_code, sandproof_text standard_error,
                                       sandproof_report* report,
                                       sandproof_refusal* refusal) SANDPROOF_NOEXCEPT;

/* sandproof_report_explain says why a report is not_run or unverified, in one sentence of printable
 * ASCII. Empty for ran. Allocates. */
sandproof_status sandproof_report_explain(const sandproof_report* report,
                                          sandproof_buffer* sentence) SANDPROOF_NOEXCEPT;

/* sandproof_report_reader reads the same from a stream that comes in pieces. However the bytes are
 * cut, the pieces together are what sandproof_report_read says of the whole: the `leading` ones the
 * preamble where the call ran, and the whole stream where it did not; the `output` ones are before
 * + after. Behind a valid final line everything is held back: bound what is fed. */
typedef struct sandproof_report_reader sandproof_report_reader;

/* sandproof_piece is what became certain of a stream. Its views are good until the next call with
 * the same reader. */
typedef struct sandproof_piece {
  sandproof_text leading;
  sandproof_text output;
} sandproof_piece;

/* sandproof_report_reader_new makes a reader. Refuses the call id as sandproof_call_id_parse does.
 */
sandproof_status sandproof_report_reader_new(sandproof_scheme scheme, sandproof_text call_id,
                                             sandproof_report_reader** reader,
                                             sandproof_refusal* refusal) SANDPROOF_NOEXCEPT;

/* sandproof_report_reader_feed takes the next bytes, which must not be those of a piece that this
 * reader gave: they move before they are read. Amortised O(n), allocates. After NO_MEMORY a part of
 * the stream is lost: the reader can only be freed, and every further call is BAD_CALL. */
sandproof_status sandproof_report_reader_feed(sandproof_report_reader* reader, sandproof_text bytes,
                                              sandproof_piece* piece) SANDPROOF_NOEXCEPT;

/* sandproof_report_reader_finish ends the stream: `piece` is the rest, `report` what the whole
 * says; its preamble, before and after are empty, because they have been given out, and its tool is
 * a view like the piece's. `exit_code` is NULL where the service gave none. Every further call with
 * the reader but the free function is BAD_CALL, and so it is after NO_MEMORY. Allocates. */
sandproof_status sandproof_report_reader_finish(sandproof_report_reader* reader,
                                                const int32_t* exit_code, sandproof_piece* piece,
                                                sandproof_report* report) SANDPROOF_NOEXCEPT;

/* sandproof_report_reader_free ends a reader and its views. Takes NULL. */
void sandproof_report_reader_free(sandproof_report_reader* reader) SANDPROOF_NOEXCEPT;

/* ---- Egress: what is declared. ---- */

#define SANDPROOF_MAX_DOMAIN_SIZE 253

/* sandproof_domain_parse accepts a host name, or `*.` and one, and writes its canonical form: lower
 * case, no root dot; at most 253 bytes. Refuses, in this order, `empty`, `non_ascii`, `whitespace`,
 * `list`, `scheme`, `userinfo`, `ip_literal` (`[`), `path`, `ip_literal` (two colons), `port`,
 * `leading_dot`, `wildcard`, `empty_label`, `too_long`, `bad_label`, `ip_literal` (the last label
 * is a number), and `refused_domain` by `refused`, which sees the canonical form and a wildcard's
 * apex. O(n), allocates nothing.
 *   "*.Example.COM." gives "*.example.com" */
sandproof_status sandproof_domain_parse(sandproof_text text, const sandproof_name_rule* refused,
                                        sandproof_buffer* domain,
                                        sandproof_refusal* refusal) SANDPROOF_NOEXCEPT;

/* sandproof_egress_mode is which of the three a declaration is. */
typedef int32_t sandproof_egress_mode;
SANDPROOF_ENUM{SANDPROOF_EGRESS_ALLOW = 0, SANDPROOF_EGRESS_DENY = 1,
               SANDPROOF_EGRESS_ALLOW_DOMAINS = 2};

/* sandproof_egress is what a sandbox may reach: everything, nothing, or the named domains. */
typedef struct sandproof_egress sandproof_egress;

/* sandproof_egress_allow, _deny and _allow_domains make one. The last refuses `empty_list`, and the
 * first domain that sandproof_domain_parse refuses; `word` is its index. A domain named twice
 * counts once. O(total bytes). */
sandproof_status sandproof_egress_allow(sandproof_egress** egress) SANDPROOF_NOEXCEPT;
sandproof_status sandproof_egress_deny(sandproof_egress** egress) SANDPROOF_NOEXCEPT;
sandproof_status sandproof_egress_allow_domains(const sandproof_text* domains, size_t count,
                                                const sandproof_name_rule* refused,
                                                sandproof_egress** egress,
                                                sandproof_refusal* refusal) SANDPROOF_NOEXCEPT;

/* sandproof_egress_get_mode and its like read a declaration. The domains are distinct, canonical,
 * in the order declared, and views of the object; an index past the last is BAD_CALL. */
sandproof_status sandproof_egress_get_mode(const sandproof_egress* egress,
                                           sandproof_egress_mode* mode) SANDPROOF_NOEXCEPT;
sandproof_status sandproof_egress_get_domain_count(const sandproof_egress* egress,
                                                   size_t* count) SANDPROOF_NOEXCEPT;
sandproof_status sandproof_egress_get_domain(const sandproof_egress* egress, size_t index,
                                             sandproof_text* domain) SANDPROOF_NOEXCEPT;

/* sandproof_egress_policy writes the policy to send with a create, as JSON; `null` for allow, which
 * sends none. Allocates. */
sandproof_status sandproof_egress_policy(const sandproof_egress* egress,
                                         sandproof_buffer* json) SANDPROOF_NOEXCEPT;

/* sandproof_egress_free ends a declaration and its views. Takes NULL. */
void sandproof_egress_free(sandproof_egress* egress) SANDPROOF_NOEXCEPT;

/* ---- Egress: what a service reports. ---- */

#define SANDPROOF_MAX_DOCUMENT_SIZE 1048576

/* sandproof_unreadable says why JSON could not be read. */
typedef struct sandproof_unreadable sandproof_unreadable;

/* sandproof_unreadable_get gives the reason, the JSON pointer (RFC 6901; it may hold names from
 * outside, unescaped; a view of the object) and the byte offset, or SANDPROOF_NO_PLACE. */
sandproof_status sandproof_unreadable_get(const sandproof_unreadable* unreadable,
                                          sandproof_reason* reason, sandproof_text* pointer,
                                          size_t* offset) SANDPROOF_NOEXCEPT;

/* sandproof_unreadable_explain renders it as one sentence of printable ASCII. Allocates. */
sandproof_status sandproof_unreadable_explain(const sandproof_unreadable* unreadable,
                                              sandproof_buffer* sentence) SANDPROOF_NOEXCEPT;

/* sandproof_unreadable_free ends it and its views. Takes NULL. */
void sandproof_unreadable_free(sandproof_unreadable* unreadable) SANDPROOF_NOEXCEPT;

/* sandproof_canonical_json reads any JSON document strictly, and writes it without spaces and with
 * sorted keys: the form of a tolerance's value. O(n log n), allocates. */
sandproof_status sandproof_canonical_json(sandproof_text text, sandproof_buffer* canonical,
                                          sandproof_unreadable** unreadable) SANDPROOF_NOEXCEPT;

/* sandproof_document_kind says what a document is. ANY is for reading only: its keys tell whether a
 * document is a policy (`defaultAction`, and neither `id` nor `egressPolicy`), a record (`id`, and
 * no `defaultAction`), or `null`, which is "no policy". */
typedef int32_t sandproof_document_kind;
SANDPROOF_ENUM{SANDPROOF_DOCUMENT_NO_POLICY = 0, SANDPROOF_DOCUMENT_POLICY = 1,
               SANDPROOF_DOCUMENT_RECORD = 2, SANDPROOF_DOCUMENT_ANY = 3};

/* sandproof_document is what a service says that a sandbox runs. */
typedef struct sandproof_document sandproof_document;

/* sandproof_document_read reads a whole JSON document of at most 1 MiB as POLICY, RECORD or ANY
 * (NO_POLICY is BAD_CALL). A document that breaks a rule of strict reading, a duplicate key for
 * one, is unreadable. A record whose policy cannot be read is accepted
 * (sandproof_document_policy_check). O(n log n). */
sandproof_status sandproof_document_read(sandproof_text text, sandproof_document_kind kind,
                                         sandproof_document** document,
                                         sandproof_unreadable** unreadable) SANDPROOF_NOEXCEPT;

/* sandproof_document_get_kind gives NO_POLICY, POLICY or RECORD. */
sandproof_status sandproof_document_get_kind(const sandproof_document* document,
                                             sandproof_document_kind* kind) SANDPROOF_NOEXCEPT;

/* sandproof_document_policy_check says whether everything about the policy could be read:
 * UNREADABLE for a record whose policy could not. */
sandproof_status sandproof_document_policy_check(
    const sandproof_document* document, sandproof_unreadable** unreadable) SANDPROOF_NOEXCEPT;

/* sandproof_record is what a record says besides its policy. The texts are views of the document.
 *   has_state       0 or 1; `state` is empty without one
 *   carries_policy  0 or 1: it came with a policy, read or not */
typedef struct sandproof_record {
  sandproof_text id;
  sandproof_text state;
  int32_t has_state;
  int32_t carries_policy;
} sandproof_record;

/* sandproof_document_get_record gives it; BAD_CALL where the document is no record. */
sandproof_status sandproof_document_get_record(const sandproof_document* document,
                                               sandproof_record* record) SANDPROOF_NOEXCEPT;

/* sandproof_document_encode writes what was read as canonical JSON. Allocates. */
sandproof_status sandproof_document_encode(const sandproof_document* document,
                                           sandproof_buffer* json) SANDPROOF_NOEXCEPT;

/* sandproof_document_free ends a document and its views. Takes NULL. */
void sandproof_document_free(sandproof_document* document) SANDPROOF_NOEXCEPT;

/* ---- Egress: does the sandbox run what was declared? ---- */

/* sandproof_finding_kind is which difference a finding is. */
typedef int32_t sandproof_finding_kind;
SANDPROOF_ENUM{SANDPROOF_FINDING_NO_POLICY = 0,         SANDPROOF_FINDING_DEFAULT_ACTION = 1,
               SANDPROOF_FINDING_INSPECTION = 2,        SANDPROOF_FINDING_MISSING_RULE = 3,
               SANDPROOF_FINDING_EXTRA_ALLOW = 4,       SANDPROOF_FINDING_UNREADABLE_ACTION = 5,
               SANDPROOF_FINDING_MATCH_RULE = 6,        SANDPROOF_FINDING_UNMODELLED_FIELD = 7,
               SANDPROOF_FINDING_UNREADABLE_POLICY = 8, SANDPROOF_FINDING_PROXY_BYPASS = 9,
               SANDPROOF_FINDING_NETWORK_OVERRIDE = 10};

/* sandproof_effect is what one finding says of the traffic: by this finding no more gets out than
 * was declared; nobody can tell; or more gets out. */
typedef int32_t sandproof_effect;
SANDPROOF_ENUM{SANDPROOF_EFFECT_WITHIN = 0, SANDPROOF_EFFECT_UNKNOWN = 1,
               SANDPROOF_EFFECT_WIDENS = 2};

/* sandproof_verdict is the whole answer, best first: no finding; every finding within; nobody can
 * tell; some finding widens. */
typedef int32_t sandproof_verdict;
SANDPROOF_ENUM{SANDPROOF_VERDICT_IDENTICAL = 0, SANDPROOF_VERDICT_CONTAINED = 1,
               SANDPROOF_VERDICT_UNKNOWN = 2, SANDPROOF_VERDICT_WIDENED = 3};

/* sandproof_acceptance is the worst verdict that a deployment takes. */
typedef int32_t sandproof_acceptance;
SANDPROOF_ENUM{SANDPROOF_ACCEPT_IDENTICAL = 0, SANDPROOF_ACCEPT_CONTAINED = 1};

/* sandproof_finding is one difference at its first place. Its texts are views of the comparison.
 *   pointer  JSON pointer into the document; holds names from outside, unescaped
 *   detail   for people, printable ASCII
 *   witness  a host that gets out and should not; empty when there is none */
typedef struct sandproof_finding {
  sandproof_finding_kind kind;
  sandproof_effect effect;
  sandproof_text pointer;
  sandproof_text detail;
  sandproof_text witness;
} sandproof_finding;

/* sandproof_tolerance accepts one unknown field that somebody reviewed: the exact pointer of a
 * finding, and the exact value as sandproof_canonical_json writes it. */
typedef struct sandproof_tolerance {
  sandproof_text pointer;
  sandproof_text value;
} sandproof_tolerance;

/* sandproof_comparison holds the findings, and the tolerated ones as notes. It borrows nothing. */
typedef struct sandproof_comparison sandproof_comparison;

/* sandproof_compare judges a document against a declaration. `allow` declares nothing: no finding,
 * whatever the document is. Expected O(n) in the number of rules. */
sandproof_status sandproof_compare(const sandproof_egress* egress,
                                   const sandproof_document* document,
                                   const sandproof_tolerance* tolerances, size_t tolerance_count,
                                   sandproof_comparison** comparison) SANDPROOF_NOEXCEPT;

/* sandproof_comparison_get_verdict and its like read a comparison. An index past the last is
 * BAD_CALL. */
sandproof_status sandproof_comparison_get_verdict(const sandproof_comparison* comparison,
                                                  sandproof_verdict* verdict) SANDPROOF_NOEXCEPT;
sandproof_status sandproof_comparison_get_finding_count(const sandproof_comparison* comparison,
                                                        size_t* count) SANDPROOF_NOEXCEPT;
sandproof_status sandproof_comparison_get_finding(const sandproof_comparison* comparison,
                                                  size_t index,
                                                  sandproof_finding* finding) SANDPROOF_NOEXCEPT;
sandproof_status sandproof_comparison_get_note_count(const sandproof_comparison* comparison,
                                                     size_t* count) SANDPROOF_NOEXCEPT;
sandproof_status sandproof_comparison_get_note(const sandproof_comparison* comparison, size_t index,
                                               sandproof_finding* note) SANDPROOF_NOEXCEPT;

/* sandproof_comparison_free ends a comparison and its views. Takes NULL. */
void sandproof_comparison_free(sandproof_comparison* comparison) SANDPROOF_NOEXCEPT;

/* sandproof_verdict_is_accepted says (0 or 1) whether a verdict is good enough. `unknown` and
 * `widened` never are. */
sandproof_status sandproof_verdict_is_accepted(sandproof_acceptance acceptance,
                                               sandproof_verdict verdict,
                                               int32_t* is_accepted) SANDPROOF_NOEXCEPT;

/* sandproof_finding_kind_name and its like give the stable name, a view of a constant:
 * "extra_allow", "widens", "contained". */
sandproof_status sandproof_finding_kind_name(sandproof_finding_kind kind,
                                             sandproof_text* name) SANDPROOF_NOEXCEPT;
sandproof_status sandproof_effect_name(sandproof_effect effect,
                                       sandproof_text* name) SANDPROOF_NOEXCEPT;
sandproof_status sandproof_verdict_name(sandproof_verdict verdict,
                                        sandproof_text* name) SANDPROOF_NOEXCEPT;

/* ---- States. ---- */

/* sandproof_service_state is the service's own vocabulary. */
typedef int32_t sandproof_service_state;
SANDPROOF_ENUM{SANDPROOF_SERVICE_STATE_CREATING = 0, SANDPROOF_SERVICE_STATE_RESUMING = 1,
               SANDPROOF_SERVICE_STATE_RUNNING = 2,  SANDPROOF_SERVICE_STATE_STOPPING = 3,
               SANDPROOF_SERVICE_STATE_STOPPED = 4,  SANDPROOF_SERVICE_STATE_SUSPENDED = 5,
               SANDPROOF_SERVICE_STATE_IDLE = 6,     SANDPROOF_SERVICE_STATE_DELETING = 7,
               SANDPROOF_SERVICE_STATE_FAILED = 8};

/* sandproof_session_state is what a caller is told. */
typedef int32_t sandproof_session_state;
SANDPROOF_ENUM{SANDPROOF_SESSION_STATE_STARTING = 0, SANDPROOF_SESSION_STATE_RUNNING = 1,
               SANDPROOF_SESSION_STATE_SUSPENDED = 2, SANDPROOF_SESSION_STATE_TERMINATED = 3};

/* sandproof_service_state_parse reads the word of a record exactly ("Running"); NULL where it has
 * none. Any other word, and none, is `unknown_state`. O(1), allocates nothing. */
sandproof_status sandproof_service_state_parse(const sandproof_text* word,
                                               sandproof_service_state* state,
                                               sandproof_refusal* refusal) SANDPROOF_NOEXCEPT;

/* sandproof_service_state_word is the inverse: a view of a constant. */
sandproof_status sandproof_service_state_word(sandproof_service_state state,
                                              sandproof_text* word) SANDPROOF_NOEXCEPT;

/* sandproof_session_state_of folds the service's vocabulary into the caller's. */
sandproof_status sandproof_session_state_of(sandproof_service_state state,
                                            sandproof_session_state* folded) SANDPROOF_NOEXCEPT;
sandproof_status sandproof_session_state_name(sandproof_session_state state,
                                              sandproof_text* name) SANDPROOF_NOEXCEPT;

/* sandproof_is_judgeable says (0 or 1) whether a record in this state tells which policy the
 * sandbox has. `carries_policy` is 0 or 1, as in sandproof_record; another number is BAD_CALL. */
sandproof_status sandproof_is_judgeable(sandproof_service_state state, int32_t carries_policy,
                                        int32_t* judgeable) SANDPROOF_NOEXCEPT;

/* ---- The provider: operations over a service's data plane, without I/O. ---- */

/* sandproof_provider is a configuration: what every operation of a deployment has in common. */
typedef struct sandproof_provider sandproof_provider;

/* sandproof_provider_config is what a provider is made of; all of it is copied.
 *   disk_image, cpu, memory  in the service's own words: "ubuntu", "1000m", "2048Mi"
 *   disk                     NULL: the service's own size
 *   egress                   what every session may reach, and what it is held to
 *   acceptance               the worst verdict of that comparison with which a session is used
 *   tolerances               unknown fields of a policy that somebody reviewed
 *   idle_suspend_seconds     NULL: an idle session is not put to sleep
 *   families, also           which variables a session may not be created with. A rule's `context`
 *                            must stay good until the provider and its operations are freed. */
typedef struct sandproof_provider_config {
  sandproof_text disk_image;
  sandproof_text cpu;
  sandproof_text memory;
  const sandproof_text* disk;
  const sandproof_egress* egress;
  sandproof_acceptance acceptance;
  const sandproof_tolerance* tolerances;
  size_t tolerance_count;
  const uint32_t* idle_suspend_seconds;
  sandproof_family_set families;
  const sandproof_name_rule* also;
} sandproof_provider_config;

/* sandproof_provider_new makes one. Refuses the first of the four texts that
 * sandproof_plain_text_parse refuses; `word` is 0 for disk_image, 1 for cpu, 2 for memory, 3 for
 * disk. */
sandproof_status sandproof_provider_new(const sandproof_provider_config* config,
                                        sandproof_provider** provider,
                                        sandproof_refusal* refusal) SANDPROOF_NOEXCEPT;

/* sandproof_provider_free ends a provider; its operations go on. Takes NULL. */
void sandproof_provider_free(sandproof_provider* provider) SANDPROOF_NOEXCEPT;

/* sandproof_operation is one thing that is asked of a provider. It shows a request, takes the
 * answer and the times, shows the next, and ends with a result. Who drives it owns the sockets, the
 * credentials and the clock:
 *
 *   for (;;) {
 *     status = sandproof_operation_get_request(operation, &request);
 *     if (status == SANDPROOF_NO_MEMORY) continue;
 *     if (status != SANDPROOF_ACCEPTED || request.call == SANDPROOF_CALL_ENDED) break;
 *     sent = now();
 *     ... send it once, or sleep where it is SANDPROOF_CALL_WAIT ...
 *     answered = now();
 *     do {
 *       status = sandproof_operation_answer(operation, body, sent, answered);
 *     } while (status == SANDPROOF_NO_MEMORY);
 *     if (status != SANDPROOF_ACCEPTED) break;
 *   }
 *
 * Until an answer has been accepted, get_request shows the request that was sent, and it must not
 * be sent again: a second CREATE makes a second sandbox, a second EXEC runs the command twice.
 *
 * It may be freed at any time: nothing more is sent then, and what was sent is not undone. A create
 * that is given up, or lost, may leave a sandbox. Its label finds that: the lower-case hex of the
 * caller's `random`, as sandproof_call_id_from_random spells it. */
typedef struct sandproof_operation sandproof_operation;

/* sandproof_start_create and its like start an operation; nothing is sent by them, and everything
 * given is copied. What may not be sent is no refusal here, but an operation that has ended: with
 * INVALID_INPUT, and the argument as "refused" in its JSON, for a session id, a path, a variable, a
 * command or a deadline that its own check refuses; with OPERATION_NOT_SUPPORTED, and no "refused",
 * for a deadline of 0. `random` is 16 bytes that the caller draws afresh for each call, and keeps
 * where a sandbox may be made: it is the attempt label. O(size of the configuration and the
 * arguments).
 *
 * create makes a session, waits until it runs, and judges its policy. Whatever fails behind that is
 * deleted, or named in the result. */
sandproof_status sandproof_start_create(const sandproof_provider* provider,
                                        const sandproof_env_entry* variables, size_t count,
                                        const uint8_t* random,
                                        sandproof_operation** operation) SANDPROOF_NOEXCEPT;

/* get reads a session; no session is no failure. */
sandproof_status sandproof_start_get(const sandproof_provider* provider, sandproof_text session_id,
                                     sandproof_operation** operation) SANDPROOF_NOEXCEPT;

/* get_or_create brings a session back into service, or makes a new one where that is gone,
 * terminated or not as declared, or where `session_id` is NULL. */
sandproof_status sandproof_start_get_or_create(const sandproof_provider* provider,
                                               const sandproof_text* session_id,
                                               const sandproof_env_entry* variables, size_t count,
                                               const uint8_t* random,
                                               sandproof_operation** operation) SANDPROOF_NOEXCEPT;

/* run_command runs a command in a running session whose policy holds, and ends it at its deadline.
 */
sandproof_status sandproof_start_run_command(const sandproof_provider* provider,
                                             sandproof_text session_id,
                                             const sandproof_command* command,
                                             int64_t deadline_milliseconds, const uint8_t* random,
                                             sandproof_operation** operation) SANDPROOF_NOEXCEPT;

/* read_file and mkdir add nothing to a sandbox, so the policy is not judged for them. */
sandproof_status sandproof_start_read_file(const sandproof_provider* provider,
                                           sandproof_text session_id, sandproof_text path,
                                           sandproof_operation** operation) SANDPROOF_NOEXCEPT;
sandproof_status sandproof_start_mkdir(const sandproof_provider* provider,
                                       sandproof_text session_id, sandproof_text path,
                                       sandproof_operation** operation) SANDPROOF_NOEXCEPT;

/* sandproof_file is one file to write; its content may be any bytes. */
typedef struct sandproof_file {
  sandproof_text path;
  sandproof_text content;
} sandproof_file;

/* write_files writes files in the order of their paths into a running session whose policy holds,
 * and stops at the first failure; what was written stays. */
sandproof_status sandproof_start_write_files(const sandproof_provider* provider,
                                             sandproof_text session_id, const sandproof_file* files,
                                             size_t count,
                                             sandproof_operation** operation) SANDPROOF_NOEXCEPT;

/* suspend asks for a stop and does not wait for it. resume wakes a session whose policy holds, and
 * judges it again once it runs. terminate deletes a session, and succeeds only once it is not found
 * any more. */
sandproof_status sandproof_start_suspend(const sandproof_provider* provider,
                                         sandproof_text session_id,
                                         sandproof_operation** operation) SANDPROOF_NOEXCEPT;
sandproof_status sandproof_start_resume(const sandproof_provider* provider,
                                        sandproof_text session_id,
                                        sandproof_operation** operation) SANDPROOF_NOEXCEPT;
sandproof_status sandproof_start_terminate(const sandproof_provider* provider,
                                           sandproof_text session_id,
                                           sandproof_operation** operation) SANDPROOF_NOEXCEPT;

/* sandproof_call says what a request asks for, and what body answers it.
 *   ENDED       nothing more: there is a result
 *   WAIT        time, at least `bound_milliseconds` of it; any body answers it
 *   CREATE      `body` is the JSON that makes a sandbox; its record answers it
 *   GET         the record of a session
 *   DELETE, STOP, RESUME  accepted, not completed; any body answers them
 *   EXEC        `body` is the JSON of a command; an exec result answers it
 *   READ_FILE   the bytes of the file at `path` answer it
 *   WRITE_FILE  `body` is the content of the file at `path`; any body answers it
 *   MKDIR       `body` is the JSON that makes a directory; any body answers it */
typedef int32_t sandproof_call;
SANDPROOF_ENUM{
    SANDPROOF_CALL_ENDED = 0,      SANDPROOF_CALL_WAIT = 1,   SANDPROOF_CALL_CREATE = 2,
    SANDPROOF_CALL_GET = 3,        SANDPROOF_CALL_DELETE = 4, SANDPROOF_CALL_STOP = 5,
    SANDPROOF_CALL_RESUME = 6,     SANDPROOF_CALL_EXEC = 7,   SANDPROOF_CALL_READ_FILE = 8,
    SANDPROOF_CALL_WRITE_FILE = 9, SANDPROOF_CALL_MKDIR = 10};

/* sandproof_request is what to send next: at once, and to the service and the group of sandboxes
 * that are the caller's to know. Its texts are views of the operation, good until its next answer.
 *   bound_milliseconds  how long the call may take; then it has failed as TIMED_OUT
 *   session_id          an id that may go into a URL as it is; empty for CREATE and WAIT
 *   path                of READ_FILE and WRITE_FILE, without leading slashes: its bytes have to be
 *                       encoded for a URL
 *   body                bytes to send as they are */
typedef struct sandproof_request {
  sandproof_call call;
  int64_t bound_milliseconds;
  sandproof_text session_id;
  sandproof_text path;
  sandproof_text body;
} sandproof_request;

/* sandproof_operation_get_request gives the request that waits for an answer, the same however
 * often it is asked. Allocates the first time. */
sandproof_status sandproof_operation_get_request(sandproof_operation* operation,
                                                 sandproof_request* request) SANDPROOF_NOEXCEPT;

/* sandproof_operation_answer gives the body that the service sent: JSON as it came, of at most
 * 1 MiB (an exec result 16 MiB), or a file's bytes. A body that cannot be read is an answer too,
 * and the operation deals with it. The times are when the request was sent and when its answer had
 * come, on a clock of the caller's that does not go back: from them it is told whether a deadline
 * can have passed.
 *
 * BAD_CALL where the operation has ended. After NO_MEMORY give the same answer with the same times
 * again, and do not send the request again. Either the operation still waits for it, or it is lost,
 * and then every call but the free function is BAD_CALL: neither a result nor the views of its
 * requests are left, and what may be left in the service is found by the session's id or the
 * attempt label. Allocates. */
sandproof_status sandproof_operation_answer(sandproof_operation* operation, sandproof_text body,
                                            int64_t sent_milliseconds,
                                            int64_t answered_milliseconds) SANDPROOF_NOEXCEPT;

/* sandproof_transport_kind says why a call gave no body; the transport must know, and not guess
 * from text.
 *   CONFLICT     may have a status, and the service's mark that it will pass by itself
 *   HTTP_STATUS  any other response that is no success; has its status
 *   TIMED_OUT    the bound of the request has passed
 *   UNAVAILABLE  anything else that did not complete, an earlier time-out included */
typedef int32_t sandproof_transport_kind;
SANDPROOF_ENUM{SANDPROOF_TRANSPORT_NOT_FOUND = 0,     SANDPROOF_TRANSPORT_ACCESS_DENIED = 1,
               SANDPROOF_TRANSPORT_INVALID_INPUT = 2, SANDPROOF_TRANSPORT_CONFLICT = 3,
               SANDPROOF_TRANSPORT_HTTP_STATUS = 4,   SANDPROOF_TRANSPORT_TIMED_OUT = 5,
               SANDPROOF_TRANSPORT_UNAVAILABLE = 6};

/* sandproof_transport_error is such a failure.
 *   status      of HTTP_STATUS; of CONFLICT or NULL; NULL for the others. From 100 to 599 and none
 *               of 200 to 299; any other number is BAD_CALL
 *   is_delayed  0, or 1 for a CONFLICT with that mark
 *   raw         what the transport has to say, for the log of whoever runs the service */
typedef struct sandproof_transport_error {
  sandproof_transport_kind kind;
  const int32_t* status;
  int32_t is_delayed;
  sandproof_text raw;
} sandproof_transport_error;

/* sandproof_operation_fail answers that there is no body. What sandproof_operation_answer says
 * holds here; a WAIT cannot fail (BAD_CALL). */
sandproof_status sandproof_operation_fail(sandproof_operation* operation,
                                          const sandproof_transport_error* error,
                                          int64_t sent_milliseconds,
                                          int64_t answered_milliseconds) SANDPROOF_NOEXCEPT;

/* sandproof_error says what kind of failure a result is.
 *   INVALID_INPUT            an argument may not be used; nothing was sent
 *   OPERATION_NOT_SUPPORTED  nothing was sent
 *   COMMAND_FAILED           a sandproof_failure says how
 *   OUTCOME_UNKNOWN          it may have happened: to ask again may do it twice
 *   UNREACHABLE              it did not complete, and may be asked for again
 *   NOT_AS_DECLARED          the session's egress policy is not the declared one
 *   UNEXPECTED_RESPONSE      the service answered what cannot be used */
typedef int32_t sandproof_error;
SANDPROOF_ENUM{SANDPROOF_ERROR_NONE = 0,
               SANDPROOF_ERROR_INVALID_INPUT = 1,
               SANDPROOF_ERROR_OPERATION_NOT_SUPPORTED = 2,
               SANDPROOF_ERROR_COMMAND_FAILED = 3,
               SANDPROOF_ERROR_OUTCOME_UNKNOWN = 4,
               SANDPROOF_ERROR_UNREACHABLE = 5,
               SANDPROOF_ERROR_NOT_AS_DECLARED = 6,
               SANDPROOF_ERROR_UNEXPECTED_RESPONSE = 7};

/* sandproof_failure says how it failed: NONE with every other error than COMMAND_FAILED. */
typedef int32_t sandproof_failure;
SANDPROOF_ENUM{SANDPROOF_FAILURE_NONE = 0,
               SANDPROOF_FAILURE_DATA_PLANE_REFUSED = 1,
               SANDPROOF_FAILURE_SESSION_GONE = 2,
               SANDPROOF_FAILURE_SESSION_TERMINATED = 3,
               SANDPROOF_FAILURE_SESSION_NOT_READY = 4,
               SANDPROOF_FAILURE_SESSION_SUSPENDED = 5,
               SANDPROOF_FAILURE_COMMAND_NOT_BOUNDED = 6,
               SANDPROOF_FAILURE_DEADLINE_EXCEEDED = 7,
               SANDPROOF_FAILURE_SANDBOX_LEFT_AWAKE = 8,
               SANDPROOF_FAILURE_SANDBOX_LEFT_BEHIND = 9};

/* sandproof_result is what an operation ended with. What its kind does not have is 0 or empty; the
 * texts are views of the operation, good until it is freed.
 *   error            NONE is success
 *   session_id       what has_session says; with an error, the sandbox that somebody must look at
 *   attempt          with an error: the label of a create (the hex of its `random`), which finds a
 *                    sandbox without a known id
 *   has_session      0 or 1: create, get, get_or_create
 *   has_exit_code    0 or 1: a command that ended by itself, with `exit_code`. One that did not is
 *                    an error, beside whatever it wrote.
 *   preamble         what the sandbox's own shell wrote before the command
 *   content          of the file that was read */
typedef struct sandproof_result {
  sandproof_error error;
  sandproof_failure failure;
  int32_t has_session;
  sandproof_session_state state;
  uint32_t generation;
  int32_t has_exit_code;
  int32_t exit_code;
  sandproof_text session_id;
  sandproof_text attempt;
  sandproof_text standard_output;
  sandproof_text standard_error;
  sandproof_text preamble;
  sandproof_text content;
} sandproof_result;

/* sandproof_operation_get_result gives it; BAD_CALL where the operation has not ended. */
sandproof_status sandproof_operation_get_result(sandproof_operation* operation,
                                                sandproof_result* result) SANDPROOF_NOEXCEPT;

/* sandproof_operation_explain writes the failure for anybody, as one line of printable ASCII
 * without a byte that came from the service but a session id; empty for a success. BAD_CALL where
 * the operation has not ended. Allocates. */
sandproof_status sandproof_operation_explain(sandproof_operation* operation,
                                             sandproof_buffer* sentence) SANDPROOF_NOEXCEPT;

/* sandproof_operation_get_json writes the whole result as one JSON object, for the log of whoever
 * runs the service: it names what the service said. BAD_CALL where the operation has not ended.
 * Bytes that are not UTF-8 are written as U+FFFD. Allocates.
 *
 *   {"session":{"id":"s1","state":"running","generation":1}}   or null: there is none
 *   {"run":{"frames":[{"stream":"standard_output","seq":0,"data":"hi\n"}],"preamble":"",
 *           "exitCode":0}}                                      no exitCode beside an error
 *   {"size":3}                                                  of the file; no content
 *   {}                                                          done
 *   {"error":{"code":"SANDBOX_NOT_AS_DECLARED","verb":"sandbox.runCommand","why":"...",
 *             "session":"s1","verdict":"widened","findings":[...],
 *             "retryable":false,"external":true,"message":"...","text":"..."}}
 *
 * An error has "failure", "session" and "attempt" (the label of a create) where they are known, and
 * the evidence: "refused" (the argument), "transport", "unreadable", or "verdict" and "findings";
 * "cause" is the error below it, without the last four members. "external" says whether a caller
 * may see it, "message" is what sandproof_operation_explain writes, "text" everything. "warnings"
 * stands behind the rest where there are any: errors that changed nothing of the result. One for
 * which there is no memory is left out. */
sandproof_status sandproof_operation_get_json(sandproof_operation* operation,
                                              sandproof_buffer* json) SANDPROOF_NOEXCEPT;

/* sandproof_operation_free ends an operation and its views. Takes NULL. */
void sandproof_operation_free(sandproof_operation* operation) SANDPROOF_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* SANDPROOF_SANDPROOF_H_ */
/* NOLINTEND(modernize-*, readability-identifier-naming) */
