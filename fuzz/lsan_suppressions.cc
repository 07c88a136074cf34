// While a thread of libFuzzer's own begins, AddressSanitizer asks for its stack, and what libc
// allocates for the answer lives for a moment. A leak check at that moment takes it for a leak of
// the input.
extern "C" const char* __lsan_default_suppressions();

extern "C" const char* __lsan_default_suppressions() {
  return "leak:__pthread_attr_extension\n"
         "leak:__pthread_attr_setaffinity_np\n"
         "leak:pthread_attr_setaffinity_np\n";
}
