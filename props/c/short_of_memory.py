"""short_of_memory.py LIBRARY EXAMPLES: run_command.py, where memory is short.

Each call that drives an operation first answers NO_MEMORY, and the one behind it must be the same.
"""

import sys

sys.path.insert(0, sys.argv[2])

import decide  # noqa: E402
import run_command  # noqa: E402

NO_MEMORY = 4
DRIVING = {"operation_get_request", "operation_answer", "operation_fail"}


class ShortLibrary(decide.Library):
    before = None

    def status(self, name, *arguments):
        if name in DRIVING:
            made = name, [getattr(each, "value", each) for each in arguments]
            if self.before is None:
                self.before = made
                return NO_MEMORY
            if self.before != made:
                sys.exit(f"behind NO_MEMORY in {self.before[0]} came another call: {name}")
            self.before = None
        return super().status(name, *arguments)


run_command.Library = ShortLibrary
run_command.main()
