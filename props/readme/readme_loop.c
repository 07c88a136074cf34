/* The loop of the README: it compiles as it stands there, and sends each request once. */
#include <stdio.h>
#include <string.h>

#include "sandproof/sandproof.h"

static int sends = 0;

static int64_t now(void) {
  static int64_t milliseconds = 0;
  return ++milliseconds;
}

static sandproof_text text_of(const char* string) {
  const sandproof_text text = {string, strlen(string)};
  return text;
}

/* Nothing but the record of a session is asked for. */
static sandproof_text send_to_service(const sandproof_request* request) {
  ++sends;
  return text_of(request->call == SANDPROOF_CALL_GET ? "{\"id\":\"s1\",\"state\":\"Running\"}"
                                                     : "");
}

static void drive(sandproof_operation* operation) {
#include "readme_loop.h"
}

int main(void) {
  sandproof_egress* egress = NULL;
  sandproof_provider* provider = NULL;
  sandproof_operation* operation = NULL;
  sandproof_refusal refusal;
  sandproof_result result = {0};
  sandproof_provider_config config = {0};
  if (sandproof_egress_allow(&egress) != SANDPROOF_ACCEPTED) return 1;
  config.disk_image = config.cpu = config.memory = text_of("1");
  config.egress = egress;
  if (sandproof_provider_new(&config, &provider, &refusal) != SANDPROOF_ACCEPTED ||
      sandproof_start_get(provider, text_of("s1"), &operation) != SANDPROOF_ACCEPTED) {
    return 1;
  }
  drive(operation);
  const sandproof_status status = sandproof_operation_get_result(operation, &result);
  printf("%d sent, status %d, error %d\n", sends, (int)status, (int)result.error);
  sandproof_operation_free(operation);
  sandproof_provider_free(provider);
  sandproof_egress_free(egress);
  return status == SANDPROOF_ACCEPTED && result.has_session && sends == 1 ? 0 : 1;
}
