/* What a caller asks the library, in C: is this id fit for a URL, what is sent to the shell, what
 * did the report say, and does the sandbox run the policy that was declared? */
#include <stdio.h>
#include <string.h>

#include "sandproof/sandproof.h"

static sandproof_text text_of(const char* string) {
  const sandproof_text text = {string, strlen(string)};
  return text;
}

static void print(const char* what, sandproof_text text) {
  printf("%s %.*s\n", what, (int)text.size, text.data);
}

/* A refusal comes with a sentence for people. */
static void check_id(const char* string) {
  sandproof_text id;
  sandproof_refusal refusal;
  if (sandproof_session_id_parse(text_of(string), &id, &refusal) == SANDPROOF_ACCEPTED) {
    print("accepted:", id);
    return;
  }
  char room[512];
  sandproof_buffer sentence = {room, sizeof room, 0};
  if (sandproof_refusal_explain(&refusal, text_of(string), &sentence) != SANDPROOF_ACCEPTED) return;
  print("refused:", (sandproof_text){sentence.data, sentence.size});
}

/* The words reach the program as they are, whatever is in them. */
static int build_shell(sandproof_text call_id) {
  static char room[SANDPROOF_MAX_SHELL_TEXT_SIZE];
  const sandproof_text words[] = {text_of("echo"), text_of("it's; rm -rf /")};
  const sandproof_env_entry variable = {text_of("TOKEN"), text_of("t")};
  const sandproof_command command = {words, 2, &variable, 1, NULL};
  sandproof_buffer shell = {room, sizeof room, 0};
  sandproof_refusal refusal;
  int64_t deadline;
  if (sandproof_deadline_parse(text_of("1.5s"), &deadline, &refusal) != SANDPROOF_ACCEPTED ||
      sandproof_bounded_shell(&command, deadline, SANDPROOF_SCHEME_SEALED, call_id, &shell,
                              &refusal) != SANDPROOF_ACCEPTED) {
    return 1;
  }
  /* The wrapper in front of the words is long; they stand at the end. */
  static const char words_begin[] = "' sh ";
  size_t at = shell.size;
  while (at > 0 && memcmp(room + at - 1, words_begin, sizeof words_begin - 1) != 0) --at;
  at += sizeof words_begin - 2;
  print("words:", (sandproof_text){room + at, shell.size - at});
  return 0;
}

/* The secrets are those that the announcement commits to, so the deadline line is the wrapper's. */
static int read_report(sandproof_text call_id) {
  static const char stream[] =
      "sandproof1 00112233445566778899aabbccddeeff "
      "8bc3c48a9cf94d475874bae16413748f5f10df6a3f53bfe6b389c24c05fd506e "
      "404bc87f3654bec8979629b00c9984e075be60d93f2350393f99baca2f8f1b2c\n"
      "working...\n"
      "sandproof1 00112233445566778899aabbccddeeff deadline d0d1d2d3d4d5d6d7d8d9dadbdcdddedf\n";
  const int32_t exit_code = 137;
  int32_t credible;
  sandproof_report report;
  sandproof_refusal refusal;
  if (sandproof_report_read(SANDPROOF_SCHEME_SEALED, call_id, &exit_code, text_of(stream), &report,
                            &refusal) != SANDPROOF_ACCEPTED ||
      sandproof_is_credible_kill(1500, 1600, &credible, &refusal) != SANDPROOF_ACCEPTED) {
    return 1;
  }
  printf("report: ran %d killed %d attested %d credible %d\n",
         report.outcome == SANDPROOF_OUTCOME_RAN, report.killed, report.attested, credible);
  printf("stderr: %.*s", (int)report.before.size, report.before.data);
  return 0;
}

/* Every object is freed once, and a function that frees takes NULL. */
static int compare_policy(const char* json) {
  const sandproof_text domains[] = {text_of("API.example.com")};
  sandproof_refusal refusal;
  sandproof_egress* egress = NULL;
  sandproof_document* document = NULL;
  sandproof_unreadable* unreadable = NULL;
  sandproof_comparison* comparison = NULL;
  int status = 1;
  if (sandproof_egress_allow_domains(domains, 1, NULL, &egress, &refusal) == SANDPROOF_ACCEPTED &&
      sandproof_document_read(text_of(json), SANDPROOF_DOCUMENT_ANY, &document, &unreadable) ==
          SANDPROOF_ACCEPTED &&
      sandproof_compare(egress, document, NULL, 0, &comparison) == SANDPROOF_ACCEPTED) {
    sandproof_verdict verdict;
    sandproof_text name;
    size_t count;
    status = sandproof_comparison_get_verdict(comparison, &verdict) != SANDPROOF_ACCEPTED ||
             sandproof_verdict_name(verdict, &name) != SANDPROOF_ACCEPTED ||
             sandproof_comparison_get_finding_count(comparison, &count) != SANDPROOF_ACCEPTED;
    if (status == 0) print("verdict:", name);
    for (size_t i = 0; status == 0 && i < count; ++i) {
      sandproof_finding finding;
      status = sandproof_comparison_get_finding(comparison, i, &finding) != SANDPROOF_ACCEPTED ||
               sandproof_finding_kind_name(finding.kind, &name) != SANDPROOF_ACCEPTED;
      if (status != 0) break;
      print("finding:", name);
      print("at:", finding.pointer);
      print("witness:", finding.witness);
    }
  }
  sandproof_comparison_free(comparison);
  sandproof_unreadable_free(unreadable);
  sandproof_document_free(document);
  sandproof_egress_free(egress);
  return status;
}

int main(void) {
  const sandproof_text call_id = text_of("00112233445566778899aabbccddeeff");
  check_id("team--box-605");
  check_id("../team");
  return build_shell(call_id) || read_report(call_id) ||
         compare_policy(
             "{\"defaultAction\":\"Deny\",\"trafficInspection\":\"Full\",\"hostRules\":["
             "{\"pattern\":\"api.example.com\",\"action\":\"Allow\"},"
             "{\"pattern\":\"evil.example\",\"action\":\"Allow\"}]}");
}
