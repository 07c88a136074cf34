/* Memory is short whenever an operation is driven: each call first answers NO_MEMORY, and the one
 * behind it must be the same. A program that is linked with `--wrap` for the three comes here. */
#include <stdio.h>
#include <stdlib.h>

#include "sandproof/sandproof.h"

sandproof_status __real_sandproof_operation_get_request(sandproof_operation* operation,
                                                        sandproof_request* request);
sandproof_status __real_sandproof_operation_answer(sandproof_operation* operation,
                                                   sandproof_text body, int64_t sent,
                                                   int64_t answered);
sandproof_status __real_sandproof_operation_fail(sandproof_operation* operation,
                                                 const sandproof_transport_error* error,
                                                 int64_t sent, int64_t answered);
sandproof_status __wrap_sandproof_operation_get_request(sandproof_operation* operation,
                                                        sandproof_request* request);
sandproof_status __wrap_sandproof_operation_answer(sandproof_operation* operation,
                                                   sandproof_text body, int64_t sent,
                                                   int64_t answered);
sandproof_status __wrap_sandproof_operation_fail(sandproof_operation* operation,
                                                 const sandproof_transport_error* error,
                                                 int64_t sent, int64_t answered);

/* A call: which one, and what it was given. */
typedef struct {
  char name;
  const void* given;
  int64_t sent;
  int64_t answered;
} call;

/* finds_no_memory says so of every second call, and ends the program where that is another one. */
static int finds_no_memory(call made) {
  static call before;
  if (before.name == 0) {
    before = made;
    return 1;
  }
  if (made.name != before.name || made.given != before.given || made.sent != before.sent ||
      made.answered != before.answered) {
    printf("behind NO_MEMORY in %c came another call: %c\n", before.name, made.name);
    exit(1);
  }
  before.name = 0;
  return 0;
}

sandproof_status __wrap_sandproof_operation_get_request(sandproof_operation* operation,
                                                        sandproof_request* request) {
  const call made = {'r', operation, 0, 0};
  if (finds_no_memory(made)) return SANDPROOF_NO_MEMORY;
  return __real_sandproof_operation_get_request(operation, request);
}

sandproof_status __wrap_sandproof_operation_answer(sandproof_operation* operation,
                                                   sandproof_text body, int64_t sent,
                                                   int64_t answered) {
  const call made = {'a', body.data, sent, answered};
  if (finds_no_memory(made)) return SANDPROOF_NO_MEMORY;
  return __real_sandproof_operation_answer(operation, body, sent, answered);
}

sandproof_status __wrap_sandproof_operation_fail(sandproof_operation* operation,
                                                 const sandproof_transport_error* error,
                                                 int64_t sent, int64_t answered) {
  const call made = {'f', operation, sent, answered};
  if (finds_no_memory(made)) return SANDPROOF_NO_MEMORY;
  return __real_sandproof_operation_fail(operation, error, sent, answered);
}
