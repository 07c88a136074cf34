/* A consumer of the C interface, with the questions of check.cc. */
#include <sandproof/sandproof.h>
#include <stdio.h>
#include <string.h>

static sandproof_text text_of(const char* string) {
  const sandproof_text text = {string, strlen(string)};
  return text;
}

static int check_id(const char* string) {
  sandproof_text answer = text_of("accepted");
  sandproof_text id;
  sandproof_refusal refusal;
  if (sandproof_session_id_parse(text_of(string), &id, &refusal) != SANDPROOF_ACCEPTED &&
      sandproof_reason_code(refusal.reason, &answer) != SANDPROOF_ACCEPTED) {
    return 1;
  }
  printf("%s: %.*s\n", string, (int)answer.size, answer.data);
  return 0;
}

static int compare(const char* json) {
  const sandproof_text domain = text_of("github.com");
  sandproof_refusal refusal;
  sandproof_egress* egress = NULL;
  sandproof_document* policy = NULL;
  sandproof_unreadable* unreadable = NULL;
  sandproof_comparison* comparison = NULL;
  sandproof_verdict verdict;
  sandproof_text name;
  int status = 1;
  if (sandproof_egress_allow_domains(&domain, 1, NULL, &egress, &refusal) == SANDPROOF_ACCEPTED &&
      sandproof_document_read(text_of(json), SANDPROOF_DOCUMENT_POLICY, &policy, &unreadable) ==
          SANDPROOF_ACCEPTED &&
      sandproof_compare(egress, policy, NULL, 0, &comparison) == SANDPROOF_ACCEPTED &&
      sandproof_comparison_get_verdict(comparison, &verdict) == SANDPROOF_ACCEPTED &&
      sandproof_verdict_name(verdict, &name) == SANDPROOF_ACCEPTED) {
    printf("policy: %.*s\n", (int)name.size, name.data);
    status = 0;
  }
  sandproof_comparison_free(comparison);
  sandproof_unreadable_free(unreadable);
  sandproof_document_free(policy);
  sandproof_egress_free(egress);
  return status;
}

int main(void) {
  /* The library that was loaded is the one that the header came with. */
  if (strcmp(sandproof_version(), SANDPROOF_VERSION) != 0) return 1;
  return check_id("team--box-605") || check_id("../team") ||
         compare(
             "{\"defaultAction\":\"Deny\",\"trafficInspection\":\"Full\",\"hostRules\":["
             "{\"pattern\":\"github.com\",\"action\":\"Allow\"},"
             "{\"pattern\":\"evil.example\",\"action\":\"Allow\"}]}");
}
