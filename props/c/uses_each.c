/* A program in C99 that uses every function of the interface as its header says. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "sandproof/sandproof.h"

static int failures = 0;

static void check(bool holds, const char* what, int line) {
  if (holds) return;
  ++failures;
  printf("line %d: %s\n", line, what);
}
#define CHECK(holds) check(holds, #holds, __LINE__)

static sandproof_text text_of(const char* string) {
  sandproof_text text;
  text.data = string;
  text.size = strlen(string);
  return text;
}

static bool equals(sandproof_text text, const char* string) {
  return text.size == strlen(string) && memcmp(text.data, string, text.size) == 0;
}

static char room[SANDPROOF_MAX_SHELL_TEXT_SIZE];

static sandproof_buffer empty_room(void) {
  sandproof_buffer buffer;
  buffer.data = room;
  buffer.capacity = sizeof room;
  buffer.size = 0;
  return buffer;
}

static bool holds(const sandproof_buffer* buffer, const char* string) {
  sandproof_text text;
  text.data = buffer->data;
  text.size = buffer->size;
  return equals(text, string);
}

static bool contains(const sandproof_buffer* buffer, const char* string) {
  const size_t size = strlen(string);
  for (size_t at = 0; at + size <= buffer->size; ++at) {
    if (memcmp(buffer->data + at, string, size) == 0) return true;
  }
  return false;
}

static const char* const call_id = "00112233445566778899aabbccddeeff";

static int32_t refuses_corp(void* context, sandproof_text name) {
  const char* const prefix = context;
  return name.size >= strlen(prefix) && memcmp(name.data, prefix, strlen(prefix)) == 0;
}

static void use_names(void) {
  sandproof_text name;
  CHECK(strlen(sandproof_version()) >= 5);
  CHECK(sandproof_reason_code(SANDPROOF_REASON_FORBIDDEN_BYTE, &name) == SANDPROOF_ACCEPTED);
  CHECK(equals(name, "forbidden_byte"));
  CHECK(sandproof_subject_name(SANDPROOF_SUBJECT_PATH, &name) == SANDPROOF_ACCEPTED);
  CHECK(equals(name, "path"));
  CHECK(sandproof_finding_kind_name(SANDPROOF_FINDING_EXTRA_ALLOW, &name) == SANDPROOF_ACCEPTED);
  CHECK(equals(name, "extra_allow"));
  CHECK(sandproof_effect_name(SANDPROOF_EFFECT_WIDENS, &name) == SANDPROOF_ACCEPTED);
  CHECK(equals(name, "widens"));
  CHECK(sandproof_verdict_name(SANDPROOF_VERDICT_CONTAINED, &name) == SANDPROOF_ACCEPTED);
  CHECK(equals(name, "contained"));
  CHECK(sandproof_session_state_name(SANDPROOF_SESSION_STATE_RUNNING, &name) == SANDPROOF_ACCEPTED);
  CHECK(equals(name, "running"));
  CHECK(sandproof_service_state_word(SANDPROOF_SERVICE_STATE_IDLE, &name) == SANDPROOF_ACCEPTED);
  CHECK(equals(name, "Idle"));
}

static void use_ids_and_paths(void) {
  sandproof_refusal refusal;
  sandproof_text value;
  CHECK(sandproof_session_id_parse(text_of("team--box-605"), &value, &refusal) ==
        SANDPROOF_ACCEPTED);
  CHECK(equals(value, "team--box-605"));
  CHECK(sandproof_addressable_id_parse(text_of("a"), &value, &refusal) == SANDPROOF_ACCEPTED);
  CHECK(sandproof_path_parse(text_of("/work/app.py"), &value, &refusal) == SANDPROOF_ACCEPTED);
  CHECK(equals(value, "work/app.py"));
  CHECK(sandproof_plain_text_parse(text_of("2048Mi"), &value, &refusal) == SANDPROOF_ACCEPTED);
  CHECK(equals(value, "2048Mi"));

  CHECK(sandproof_session_id_parse(text_of("a/b"), &value, &refusal) == SANDPROOF_REFUSED);
  CHECK(refusal.subject == SANDPROOF_SUBJECT_SESSION_ID);
  CHECK(refusal.reason == SANDPROOF_REASON_FORBIDDEN_BYTE);
  CHECK(refusal.offset == 1 && refusal.word == SANDPROOF_NO_PLACE);
  sandproof_buffer sentence = empty_room();
  CHECK(sandproof_refusal_explain(&refusal, text_of("a/b"), &sentence) == SANDPROOF_ACCEPTED);
  CHECK(contains(&sentence, "session id \"a/b\""));
  CHECK(sandproof_escaped(text_of("a\n"), 80, &sentence) == SANDPROOF_ACCEPTED);
  CHECK(holds(&sentence, "\"a\\n\""));

  const sandproof_text paths[2] = {text_of("b"), text_of("/a")};
  size_t order[2];
  CHECK(sandproof_path_write_order(paths, 2, order, &refusal) == SANDPROOF_ACCEPTED);
  CHECK(order[0] == 1 && order[1] == 0);
}

static void use_variables(void) {
  sandproof_refusal refusal;
  sandproof_text value;
  char prefix[] = "CORP_";
  const sandproof_name_rule rule = {refuses_corp, prefix};
  CHECK(sandproof_env_name_parse(text_of("TOKEN"), &value, &refusal) == SANDPROOF_ACCEPTED);
  CHECK(sandproof_env_variable_check(text_of("LD_PRELOAD"), text_of("x"), &refusal) ==
        SANDPROOF_ACCEPTED);
  CHECK(sandproof_session_name_parse(text_of("LD_PRELOAD"), SANDPROOF_FAMILY_SET_STRICT, NULL,
                                     &value, &refusal) == SANDPROOF_REFUSED);
  CHECK(refusal.reason == SANDPROOF_REASON_REFUSED_FAMILY);
  CHECK(sandproof_session_name_parse(text_of("CORP_A"), SANDPROOF_FAMILY_SET_STRICT, &rule, &value,
                                     &refusal) == SANDPROOF_REFUSED);
  CHECK(sandproof_session_variable_check(text_of("TOKEN"), text_of("x"),
                                         SANDPROOF_FAMILY_SET_BASELINE, &rule,
                                         &refusal) == SANDPROOF_ACCEPTED);
  const sandproof_env_entry entries[2] = {{text_of("A"), text_of("1")},
                                          {text_of("A"), text_of("2")}};
  CHECK(sandproof_session_environment_check(entries, 1, SANDPROOF_FAMILY_SET_STRICT, NULL,
                                            &refusal) == SANDPROOF_ACCEPTED);
  CHECK(sandproof_session_environment_check(entries, 2, SANDPROOF_FAMILY_SET_STRICT, NULL,
                                            &refusal) == SANDPROOF_REFUSED);
  CHECK(refusal.reason == SANDPROOF_REASON_DUPLICATE_NAME && refusal.word == 1);
}

static void use_deadlines_and_states(void) {
  sandproof_refusal refusal;
  int64_t milliseconds = 0;
  int32_t answer = -1;
  CHECK(sandproof_deadline_parse(text_of("1.5s"), &milliseconds, &refusal) == SANDPROOF_ACCEPTED);
  CHECK(milliseconds == 1500);
  CHECK(sandproof_deadline_guard(1500, &milliseconds, &refusal) == SANDPROOF_ACCEPTED);
  CHECK(milliseconds == 1500 + SANDPROOF_GUARD_MARGIN_MS);
  sandproof_buffer seconds = empty_room();
  CHECK(sandproof_deadline_seconds(1500, &seconds, &refusal) == SANDPROOF_ACCEPTED);
  CHECK(holds(&seconds, "1.500"));
  CHECK(sandproof_is_credible_kill(1000, 989, &answer, &refusal) == SANDPROOF_ACCEPTED);
  CHECK(answer == 0);
  CHECK(sandproof_is_credible_kill(1000, 990, &answer, &refusal) == SANDPROOF_ACCEPTED);
  CHECK(answer == 1);

  const sandproof_text word = text_of("Stopped");
  sandproof_service_state state = -1;
  sandproof_session_state folded = -1;
  CHECK(sandproof_service_state_parse(&word, &state, &refusal) == SANDPROOF_ACCEPTED);
  CHECK(state == SANDPROOF_SERVICE_STATE_STOPPED);
  CHECK(sandproof_service_state_parse(NULL, &state, &refusal) == SANDPROOF_REFUSED);
  CHECK(sandproof_session_state_of(state, &folded) == SANDPROOF_ACCEPTED);
  CHECK(folded == SANDPROOF_SESSION_STATE_SUSPENDED);
  CHECK(sandproof_is_judgeable(state, 0, &answer) == SANDPROOF_ACCEPTED);
  CHECK(answer == 0);
}

static void use_shell(void) {
  sandproof_refusal refusal;
  sandproof_text id;
  const uint8_t random[SANDPROOF_CALL_ID_RANDOM_SIZE] = {0,   17,  34,  51,  68,  85,  102, 119,
                                                         136, 153, 170, 187, 204, 221, 238, 255};
  sandproof_buffer buffer = empty_room();
  CHECK(sandproof_call_id_from_random(random, &buffer) == SANDPROOF_ACCEPTED);
  CHECK(holds(&buffer, call_id));
  CHECK(sandproof_call_id_parse(text_of(call_id), &id, &refusal) == SANDPROOF_ACCEPTED);

  const sandproof_text words[2] = {text_of("echo"), text_of("it's")};
  CHECK(sandproof_quote(words, 2, &buffer, &refusal) == SANDPROOF_ACCEPTED);
  CHECK(holds(&buffer, "'echo' 'it'\\''s'"));

  const sandproof_env_entry variable = {text_of("TOKEN"), text_of("t")};
  const sandproof_text directory = text_of("/work");
  const sandproof_command command = {words, 2, &variable, 1, &directory};
  CHECK(sandproof_command_check(&command, &refusal) == SANDPROOF_ACCEPTED);
  sandproof_buffer size = {NULL, 0, 0};
  CHECK(sandproof_bounded_shell(&command, 1500, SANDPROOF_SCHEME_SEALED, id, &size, &refusal) ==
        SANDPROOF_TOO_SMALL);
  CHECK(sandproof_bounded_shell(&command, 1500, SANDPROOF_SCHEME_SEALED, id, &buffer, &refusal) ==
        SANDPROOF_ACCEPTED);
  CHECK(buffer.size == size.size);
  CHECK(contains(&buffer, " sh 'env' 'TOKEN=t' 'echo' 'it'\\''s'"));
}

static void use_reports(void) {
  sandproof_refusal refusal;
  sandproof_report report;
  const int32_t killed = 137;
  const sandproof_text nothing = {NULL, 0};
  const sandproof_text stream =
      text_of("00112233445566778899aabbccddeeff\nout00112233445566778899aabbccddeeff");
  CHECK(sandproof_report_read(SANDPROOF_SCHEME_NONCE, nothing, &killed, stream, &report,
                              &refusal) == SANDPROOF_ACCEPTED);
  CHECK(report.outcome == SANDPROOF_OUTCOME_RAN && report.killed == 1 && report.attested == 0);
  CHECK(equals(report.before, "out") && report.after.size == 0);
  CHECK(sandproof_report_read(SANDPROOF_SCHEME_SEALED, text_of(call_id), NULL, stream, &report,
                              &refusal) == SANDPROOF_ACCEPTED);
  CHECK(report.outcome == SANDPROOF_OUTCOME_UNVERIFIED);
  sandproof_buffer sentence = empty_room();
  CHECK(sandproof_report_explain(&report, &sentence) == SANDPROOF_ACCEPTED);
  CHECK(contains(&sentence, "may have run"));

  sandproof_report_reader* reader = NULL;
  sandproof_piece piece;
  CHECK(sandproof_report_reader_new(SANDPROOF_SCHEME_NONCE, nothing, &reader, &refusal) ==
        SANDPROOF_ACCEPTED);
  CHECK(sandproof_report_reader_feed(reader, stream, &piece) == SANDPROOF_ACCEPTED);
  CHECK(piece.leading.size == 0 && equals(piece.output, "out"));
  CHECK(sandproof_report_reader_finish(reader, &killed, &piece, &report) == SANDPROOF_ACCEPTED);
  CHECK(report.outcome == SANDPROOF_OUTCOME_RAN && report.killed == 1);
  CHECK(piece.output.size == 0);
  sandproof_report_reader_free(reader);
}

static void use_declarations(void) {
  sandproof_refusal refusal;
  sandproof_buffer buffer = empty_room();
  CHECK(sandproof_domain_parse(text_of("*.Example.COM."), NULL, &buffer, &refusal) ==
        SANDPROOF_ACCEPTED);
  CHECK(holds(&buffer, "*.example.com"));

  sandproof_egress* egress = NULL;
  CHECK(sandproof_egress_allow(&egress) == SANDPROOF_ACCEPTED);
  CHECK(sandproof_egress_policy(egress, &buffer) == SANDPROOF_ACCEPTED);
  CHECK(holds(&buffer, "null"));
  sandproof_egress_free(egress);

  const sandproof_text domains[1] = {text_of("API.example.com")};
  sandproof_egress_mode mode = -1;
  size_t count = 0;
  sandproof_text domain;
  CHECK(sandproof_egress_allow_domains(domains, 1, NULL, &egress, &refusal) == SANDPROOF_ACCEPTED);
  CHECK(sandproof_egress_get_mode(egress, &mode) == SANDPROOF_ACCEPTED);
  CHECK(mode == SANDPROOF_EGRESS_ALLOW_DOMAINS);
  CHECK(sandproof_egress_get_domain_count(egress, &count) == SANDPROOF_ACCEPTED);
  CHECK(count == 1);
  CHECK(sandproof_egress_get_domain(egress, 0, &domain) == SANDPROOF_ACCEPTED);
  CHECK(equals(domain, "api.example.com"));
  CHECK(sandproof_egress_get_domain(egress, 1, &domain) == SANDPROOF_BAD_CALL);
  sandproof_egress_free(egress);
}

static void use_unreadable(void) {
  sandproof_buffer buffer = empty_room();
  sandproof_unreadable* unreadable = NULL;
  CHECK(sandproof_canonical_json(text_of("{\"b\": 1, \"a\": [ ]}"), &buffer, &unreadable) ==
        SANDPROOF_ACCEPTED);
  CHECK(holds(&buffer, "{\"a\":[],\"b\":1}"));
  CHECK(sandproof_canonical_json(text_of("{\"a\":1,\"a\":2}"), &buffer, &unreadable) ==
        SANDPROOF_UNREADABLE);
  sandproof_reason reason = -1;
  sandproof_text pointer;
  size_t offset = 0;
  CHECK(sandproof_unreadable_get(unreadable, &reason, &pointer, &offset) == SANDPROOF_ACCEPTED);
  CHECK(reason == SANDPROOF_REASON_DUPLICATE_KEY && equals(pointer, "/a"));
  CHECK(offset == SANDPROOF_NO_PLACE);
  CHECK(sandproof_unreadable_explain(unreadable, &buffer) == SANDPROOF_ACCEPTED);
  CHECK(contains(&buffer, "document "));
  sandproof_unreadable_free(unreadable);
}

static void use_comparisons(void) {
  static const char record[] =
      "{\"id\":\"s-1\",\"state\":\"Running\",\"egressPolicy\":{\"defaultAction\":\"Deny\","
      "\"trafficInspection\":\"Full\",\"hostRules\":[{\"pattern\":\"*\",\"action\":\"Deny\"},"
      "{\"pattern\":\"evil.example\",\"action\":\"Allow\"}],\"new\":[1, 2]}}";
  sandproof_egress* egress = NULL;
  sandproof_document* document = NULL;
  sandproof_unreadable* unreadable = NULL;
  sandproof_comparison* comparison = NULL;
  CHECK(sandproof_egress_deny(&egress) == SANDPROOF_ACCEPTED);
  CHECK(sandproof_document_read(text_of(record), SANDPROOF_DOCUMENT_ANY, &document, &unreadable) ==
        SANDPROOF_ACCEPTED);
  sandproof_document_kind kind = -1;
  CHECK(sandproof_document_get_kind(document, &kind) == SANDPROOF_ACCEPTED);
  CHECK(kind == SANDPROOF_DOCUMENT_RECORD);
  CHECK(sandproof_document_policy_check(document, &unreadable) == SANDPROOF_ACCEPTED);
  sandproof_record said;
  CHECK(sandproof_document_get_record(document, &said) == SANDPROOF_ACCEPTED);
  CHECK(equals(said.id, "s-1") && said.has_state == 1 && equals(said.state, "Running"));
  CHECK(said.carries_policy == 1);
  sandproof_buffer json = empty_room();
  CHECK(sandproof_document_encode(document, &json) == SANDPROOF_ACCEPTED);
  CHECK(contains(&json, "\"new\":[1,2]"));

  const sandproof_tolerance tolerance = {text_of("/egressPolicy/new"), text_of("[1,2]")};
  CHECK(sandproof_compare(egress, document, &tolerance, 1, &comparison) == SANDPROOF_ACCEPTED);
  sandproof_document_free(document);
  sandproof_egress_free(egress);
  sandproof_verdict verdict = -1;
  size_t count = 0;
  sandproof_finding finding;
  CHECK(sandproof_comparison_get_verdict(comparison, &verdict) == SANDPROOF_ACCEPTED);
  CHECK(verdict == SANDPROOF_VERDICT_WIDENED);
  CHECK(sandproof_comparison_get_finding_count(comparison, &count) == SANDPROOF_ACCEPTED);
  CHECK(count == 1);
  CHECK(sandproof_comparison_get_finding(comparison, 0, &finding) == SANDPROOF_ACCEPTED);
  CHECK(finding.kind == SANDPROOF_FINDING_EXTRA_ALLOW);
  CHECK(finding.effect == SANDPROOF_EFFECT_WIDENS);
  CHECK(equals(finding.witness, "evil.example"));
  CHECK(sandproof_comparison_get_note_count(comparison, &count) == SANDPROOF_ACCEPTED);
  CHECK(count == 1);
  CHECK(sandproof_comparison_get_note(comparison, 0, &finding) == SANDPROOF_ACCEPTED);
  CHECK(equals(finding.pointer, "/egressPolicy/new"));
  sandproof_comparison_free(comparison);
  int32_t is_accepted = -1;
  CHECK(sandproof_verdict_is_accepted(SANDPROOF_ACCEPT_CONTAINED, verdict, &is_accepted) ==
        SANDPROOF_ACCEPTED);
  CHECK(is_accepted == 0);
}

static const uint8_t random_bytes[SANDPROOF_CALL_ID_RANDOM_SIZE] = {
    0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff};

/* The request that waits, which must be of this kind. */
static sandproof_request next(sandproof_operation* operation, sandproof_call call) {
  sandproof_request request;
  CHECK(sandproof_operation_get_request(operation, &request) == SANDPROOF_ACCEPTED);
  CHECK(request.call == call);
  return request;
}

static void answer(sandproof_operation* operation, const char* body) {
  CHECK(sandproof_operation_answer(operation, text_of(body), 0, 0) == SANDPROOF_ACCEPTED);
}

static void fail(sandproof_operation* operation, int32_t status) {
  const sandproof_transport_error error = {SANDPROOF_TRANSPORT_HTTP_STATUS, &status, 0,
                                           text_of("raw")};
  CHECK(sandproof_operation_fail(operation, &error, 0, 0) == SANDPROOF_ACCEPTED);
}

/* The result of an operation that has ended, which is freed. */
static void ends(sandproof_operation* operation, sandproof_error error, const char* json) {
  sandproof_result result;
  sandproof_buffer text = empty_room();
  (void)next(operation, SANDPROOF_CALL_ENDED);
  CHECK(sandproof_operation_get_result(operation, &result) == SANDPROOF_ACCEPTED);
  CHECK(result.error == error);
  CHECK(sandproof_operation_get_json(operation, &text) == SANDPROOF_ACCEPTED);
  CHECK(contains(&text, json));
  CHECK(sandproof_operation_explain(operation, &text) == SANDPROOF_ACCEPTED);
  CHECK((text.size == 0) == (error == SANDPROOF_ERROR_NONE));
  sandproof_operation_free(operation);
}

static const char* const record =
    "{\"id\":\"s1\",\"state\":\"Running\",\"egressPolicy\":{\"defaultAction\":\"Deny\","
    "\"trafficInspection\":\"Full\",\"hostRules\":[{\"pattern\":\"*\",\"action\":\"Deny\"}]}}";

static sandproof_provider* make_provider(void) {
  sandproof_egress* egress = NULL;
  sandproof_provider* provider = NULL;
  sandproof_refusal refusal;
  sandproof_provider_config config = {0};
  CHECK(sandproof_egress_deny(&egress) == SANDPROOF_ACCEPTED);
  config.disk_image = text_of("ubuntu");
  config.cpu = text_of("1000m");
  config.memory = text_of("2048Mi");
  config.egress = egress;
  config.acceptance = SANDPROOF_ACCEPT_IDENTICAL;
  config.families = SANDPROOF_FAMILY_SET_STRICT;
  CHECK(sandproof_provider_new(&config, &provider, &refusal) == SANDPROOF_ACCEPTED);
  sandproof_egress_free(egress);
  return provider;
}

static void use_operations(void) {
  sandproof_provider* const provider = make_provider();
  const sandproof_env_entry variable = {text_of("TOKEN"), text_of("t")};
  const sandproof_text id = text_of("s1");
  sandproof_operation* made = NULL;
  sandproof_request request;

  CHECK(sandproof_start_create(provider, &variable, 1, random_bytes, &made) == SANDPROOF_ACCEPTED);
  request = next(made, SANDPROOF_CALL_CREATE);
  CHECK(request.bound_milliseconds == 120000 && request.session_id.size == 0);
  CHECK(request.body.size > 0 && request.body.data[0] == '{');
  answer(made, "{\"id\":\"s1\",\"state\":\"Creating\"}");
  (void)next(made, SANDPROOF_CALL_GET);
  answer(made, "{\"id\":\"s1\",\"state\":\"Creating\"}");
  CHECK(next(made, SANDPROOF_CALL_WAIT).bound_milliseconds == 2000);
  answer(made, "");
  answer(made, record);
  ends(made, SANDPROOF_ERROR_NONE, "{\"session\":{\"id\":\"s1\"");

  CHECK(sandproof_start_get_or_create(provider, NULL, NULL, 0, random_bytes, &made) ==
        SANDPROOF_ACCEPTED);
  (void)next(made, SANDPROOF_CALL_CREATE);
  fail(made, 500);
  ends(made, SANDPROOF_ERROR_OUTCOME_UNKNOWN, "\"attempt\":\"00112233445566778899aabbccddeeff\"");

  CHECK(sandproof_start_get(provider, id, &made) == SANDPROOF_ACCEPTED);
  CHECK(equals(next(made, SANDPROOF_CALL_GET).session_id, "s1"));
  fail(made, 404);
  ends(made, SANDPROOF_ERROR_NONE, "{\"session\":null}");

  CHECK(sandproof_start_read_file(provider, id, text_of("/a/b"), &made) == SANDPROOF_ACCEPTED);
  CHECK(equals(next(made, SANDPROOF_CALL_READ_FILE).path, "a/b"));
  answer(made, "content");
  ends(made, SANDPROOF_ERROR_NONE, "{\"size\":7}");

  const sandproof_file file = {text_of("/a"), text_of("content")};
  CHECK(sandproof_start_write_files(provider, id, &file, 1, &made) == SANDPROOF_ACCEPTED);
  answer(made, record);
  request = next(made, SANDPROOF_CALL_WRITE_FILE);
  CHECK(equals(request.path, "a") && equals(request.body, "content"));
  answer(made, "");
  ends(made, SANDPROOF_ERROR_NONE, "{}");

  CHECK(sandproof_start_mkdir(provider, id, text_of("../a"), &made) == SANDPROOF_ACCEPTED);
  ends(made, SANDPROOF_ERROR_INVALID_INPUT, "\"reason\":\"parent_segment\"");

  CHECK(sandproof_start_suspend(provider, id, &made) == SANDPROOF_ACCEPTED);
  (void)next(made, SANDPROOF_CALL_STOP);
  answer(made, "");
  ends(made, SANDPROOF_ERROR_NONE, "{}");

  CHECK(sandproof_start_resume(provider, id, &made) == SANDPROOF_ACCEPTED);
  answer(made, record);
  answer(made, record);
  ends(made, SANDPROOF_ERROR_NONE, "{}");

  CHECK(sandproof_start_terminate(provider, id, &made) == SANDPROOF_ACCEPTED);
  (void)next(made, SANDPROOF_CALL_DELETE);
  answer(made, "");
  fail(made, 404);
  ends(made, SANDPROOF_ERROR_NONE, "{}");
  sandproof_provider_free(provider);
}

/* The times of an answer decide whether a deadline can have passed. */
static void use_a_run(void) {
  sandproof_provider* const provider = make_provider();
  const sandproof_text word = text_of("make");
  const sandproof_command command = {&word, 1, NULL, 0, NULL};
  sandproof_operation* run = NULL;
  sandproof_result result;
  CHECK(sandproof_start_run_command(provider, text_of("s1"), &command, 1000, random_bytes, &run) ==
        SANDPROOF_ACCEPTED);
  sandproof_provider_free(provider);
  answer(run, record);
  CHECK(next(run, SANDPROOF_CALL_EXEC).bound_milliseconds == 11000);
  CHECK(sandproof_operation_answer(
            run,
            text_of("{\"stdout\":\"hi\",\"stderr\":\"sandproof1 00112233445566778899aabbccddeeff "
                    "8bc3c48a9cf94d475874bae16413748f5f10df6a3f53bfe6b389c24c05fd506e "
                    "404bc87f3654bec8979629b00c9984e075be60d93f2350393f99baca2f8f1b2c\\n"
                    "sandproof1 00112233445566778899aabbccddeeff deadline "
                    "d0d1d2d3d4d5d6d7d8d9dadbdcdddedf\\n\",\"exitCode\":137}"),
            5000, 6000) == SANDPROOF_ACCEPTED);
  CHECK(sandproof_operation_get_result(run, &result) == SANDPROOF_ACCEPTED);
  CHECK(result.failure == SANDPROOF_FAILURE_DEADLINE_EXCEEDED && result.has_exit_code == 0);
  CHECK(equals(result.standard_output, "hi"));
  ends(run, SANDPROOF_ERROR_COMMAND_FAILED, "\"failure\":\"deadlineExceeded\"");
}

int main(void) {
  use_names();
  use_ids_and_paths();
  use_variables();
  use_deadlines_and_states();
  use_shell();
  use_reports();
  use_declarations();
  use_unreadable();
  use_comparisons();
  use_operations();
  use_a_run();
  return failures == 0 ? 0 : 1;
}
