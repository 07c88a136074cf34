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

/* The clock. A sleep is as good as its time. */
static int64_t milliseconds = 0;

static int64_t now(void) { return milliseconds += 10; }

static void wait_for(int64_t duration) {
  printf("waited: %d ms\n", (int)duration);
  milliseconds += duration;
}

/* The service: what its session runs, and what its command gives; NULL where that never ends. */
typedef struct {
  const char* record;
  const char* ran;
  int deleted; /* the record is seen once more, and then no more */
} service;

/* A body, or why there is none. Every failure of the transport has a kind; text never decides. */
typedef struct {
  const char* body;
  sandproof_transport_kind failure;
} reply;

static reply with_body(const char* body) {
  const reply given = {body, 0};
  return given;
}

static reply without_body(sandproof_transport_kind failure) {
  const reply given = {NULL, failure};
  return given;
}

static reply send_to(service* to, const sandproof_request* request) {
  printf("asked: call %d, at most %d ms, session %.*s\n", (int)request->call,
         (int)request->bound_milliseconds, (int)request->session_id.size, request->session_id.data);
  switch (request->call) {
    case SANDPROOF_CALL_GET:
      if (to->deleted > 1) return without_body(SANDPROOF_TRANSPORT_NOT_FOUND);
      if (to->deleted != 0) ++to->deleted;
      return with_body(to->record);
    case SANDPROOF_CALL_EXEC:
      if (to->ran != NULL) return with_body(to->ran);
      wait_for(request->bound_milliseconds);
      return without_body(SANDPROOF_TRANSPORT_TIMED_OUT);
    case SANDPROOF_CALL_DELETE:
      to->deleted = 1;
      return with_body("");
    default:
      return without_body(SANDPROOF_TRANSPORT_UNAVAILABLE);
  }
}

/* While memory cannot be had, the operation stays where it is: the same call is made again, and
 * nothing is sent again. A program in earnest gives memory back here, or waits a while. */
static sandproof_status next(sandproof_operation* operation, sandproof_request* request) {
  sandproof_status status;
  do {
    status = sandproof_operation_get_request(operation, request);
  } while (status == SANDPROOF_NO_MEMORY);
  return status;
}

static sandproof_status answer(sandproof_operation* operation, reply given, int64_t sent,
                               int64_t answered) {
  const sandproof_transport_error error = {given.failure, NULL, 0, {NULL, 0}};
  sandproof_status status;
  do {
    status = given.body == NULL
                 ? sandproof_operation_fail(operation, &error, sent, answered)
                 : sandproof_operation_answer(operation, text_of(given.body), sent, answered);
  } while (status == SANDPROOF_NO_MEMORY);
  return status;
}

/* A wait has no failure: any body answers it. */
static reply done_with(service* to, const sandproof_request* request) {
  if (request->call != SANDPROOF_CALL_WAIT) return send_to(to, request);
  wait_for(request->bound_milliseconds);
  return with_body("");
}

static int drive(sandproof_operation* operation, service* to) {
  sandproof_request request;
  sandproof_result result;
  while (next(operation, &request) == SANDPROOF_ACCEPTED && request.call != SANDPROOF_CALL_ENDED) {
    const int64_t sent = now();
    const reply given = done_with(to, &request);
    if (answer(operation, given, sent, now()) != SANDPROOF_ACCEPTED) {
      puts("lost: the command may have run, and may still be running");
      return 1;
    }
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

static int run(const sandproof_provider* provider, service to) {
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
  const int status = drive(operation, &to);
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
      const service good = {as_declared, ran, 0};
      const service open = {wide_open, ran, 0};
      const service hangs = {as_declared, NULL, 0};
      status = run(provider, good) || run(provider, open) || run(provider, hangs);
    }
  }
  sandproof_provider_free(provider);
  sandproof_egress_free(egress);
  return status;
}
