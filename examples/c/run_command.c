/* A command in a sandbox, driven by hand: the operation says what to send next, and the caller owns
 * the connection and the clock. Here a function stands in for the service. */
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

/* What the session runs is what was declared, or more. */
static const char* const as_declared =
    "{\"id\":\"s1\",\"state\":\"Running\",\"egressPolicy\":{\"defaultAction\":\"Deny\","
    "\"trafficInspection\":\"Full\",\"hostRules\":[{\"pattern\":\"*\",\"action\":\"Deny\"}]}}";
static const char* const wide_open =
    "{\"id\":\"s1\",\"state\":\"Running\",\"egressPolicy\":{\"defaultAction\":\"Allow\","
    "\"trafficInspection\":\"Full\"}}";

/* The command wrote "hello" and ended by itself. */
static const char* const ran =
    "{\"stdout\":\"hello\",\"stderr\":\"sandproof1 00112233445566778899aabbccddeeff "
    "8bc3c48a9cf94d475874bae16413748f5f10df6a3f53bfe6b389c24c05fd506e "
    "404bc87f3654bec8979629b00c9984e075be60d93f2350393f99baca2f8f1b2c\\n"
    "sandproof1 00112233445566778899aabbccddeeff exit e0e1e2e3e4e5e6e7e8e9eaebecedeeef\\n\","
    "\"exitCode\":3}";

/* The service: what it answers to a request; NULL where it cannot be reached. */
static const char* sent_to(const char* record, const sandproof_request* request) {
  printf("asked: call %d, at most %d ms, session %.*s\n", (int)request->call,
         (int)request->bound_milliseconds, (int)request->session_id.size, request->session_id.data);
  if (request->call == SANDPROOF_CALL_GET) return record;
  if (request->call == SANDPROOF_CALL_EXEC) return ran;
  return NULL;
}

static int64_t now(void) {
  static int64_t milliseconds = 0;
  return milliseconds += 10;
}

/* Every failure of the transport has a kind; text never decides. */
static sandproof_status answer(sandproof_operation* operation, const char* body, int64_t sent) {
  const sandproof_transport_error down = {SANDPROOF_TRANSPORT_UNAVAILABLE, NULL, 0, {NULL, 0}};
  if (body == NULL) return sandproof_operation_fail(operation, &down, sent, now());
  return sandproof_operation_answer(operation, text_of(body), sent, now());
}

static int drive(sandproof_operation* operation, const char* record) {
  sandproof_request request;
  sandproof_result result;
  while (sandproof_operation_get_request(operation, &request) == SANDPROOF_ACCEPTED &&
         request.call != SANDPROOF_CALL_ENDED) {
    const int64_t sent = now();
    if (answer(operation, sent_to(record, &request), sent) != SANDPROOF_ACCEPTED) return 1;
  }
  if (sandproof_operation_get_result(operation, &result) != SANDPROOF_ACCEPTED) return 1;
  if (result.error != SANDPROOF_ERROR_NONE) {
    char room[1024];
    sandproof_buffer sentence = {room, sizeof room, 0};
    if (sandproof_operation_explain(operation, &sentence) != SANDPROOF_ACCEPTED) return 1;
    print("failed:", (sandproof_text){sentence.data, sentence.size});
    return 0;
  }
  print("output:", result.standard_output);
  printf("exit: %d\n", (int)result.exit_code);
  return 0;
}

static int run(const sandproof_provider* provider, const char* record) {
  /* Drawn afresh for each command, from the system's source of randomness. */
  static const uint8_t random[SANDPROOF_CALL_ID_RANDOM_SIZE] = {0x00, 0x11, 0x22, 0x33, 0x44, 0x55,
                                                                0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb,
                                                                0xcc, 0xdd, 0xee, 0xff};
  const sandproof_text words[] = {text_of("echo"), text_of("it's")};
  const sandproof_command command = {words, 2, NULL, 0, NULL};
  sandproof_operation* operation = NULL;
  if (sandproof_start_run_command(provider, text_of("s1"), &command, 30000, random, &operation) !=
      SANDPROOF_ACCEPTED) {
    return 1;
  }
  const int status = drive(operation, record);
  sandproof_operation_free(operation);
  return status;
}

int main(void) {
  sandproof_egress* egress = NULL;
  sandproof_provider* provider = NULL;
  sandproof_refusal refusal;
  int status = 1;
  if (sandproof_egress_deny(&egress) == SANDPROOF_ACCEPTED) {
    const sandproof_provider_config config = {
        .disk_image = text_of("ubuntu"),
        .cpu = text_of("1000m"),
        .memory = text_of("2048Mi"),
        .egress = egress,
        .acceptance = SANDPROOF_ACCEPT_IDENTICAL,
        .families = SANDPROOF_FAMILY_SET_STRICT,
    };
    if (sandproof_provider_new(&config, &provider, &refusal) == SANDPROOF_ACCEPTED) {
      status = run(provider, as_declared) || run(provider, wide_open);
    }
  }
  sandproof_provider_free(provider);
  sandproof_egress_free(egress);
  return status;
}
