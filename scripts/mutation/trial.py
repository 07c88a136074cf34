"""The trial of one file's mutants: which test, the fastest first, fails with each."""

import os
import shutil

from mutation import operators, results, runs
from mutation.schema import changed, refused, schema

# Seconds of work, and of sleep. A program that takes longer than the first is run case by case, with
# what survived the others.
FAST = 2, 0
LONGEST = 900, 60


class Trial:
    """`tell` is called once for each mutant that was tried."""

    def __init__(self, build, programs, known, file, text, mutants, todo, tell):
        self.build, self.known, self.file, self.text = build, known, file, text
        self.mutants, self.tell = mutants, tell
        self.hash = operators.text_hash(text)
        self.schema = schema(text, mutants)
        wanted = set(todo)
        self.todo = {number for number, mutant in enumerate(mutants, 1) if mutant in wanted}
        self.place = build.work / file.replace("/", "_")
        self.programs = sorted(runs.needing(build, programs, file), key=self._expected)
        self.kills = {}

    def _expected(self, program):
        """Those of the same name first, then the quick ones: what a fuzzer's seeds replay."""
        word = os.path.basename(self.file).partition(".")[0].partition("_")[0]
        return word not in program.name, not program.name.endswith("_replay"), program.name

    def run(self, pool):
        shutil.rmtree(self.place, ignore_errors=True)
        self.place.mkdir(parents=True)
        alive = {number for number in self.todo if number in self.schema.function_of}
        alone = self.todo - alive
        objects, alive, unclear = self._compile_schema(alive)
        alone |= unclear
        alive = self._try_chosen(pool, objects, alive)
        # What the program cannot be seen to do otherwise, the compiler may.
        alone |= alive & self.schema.maybe_compiled
        for number in alive - alone:
            self._done(number, results.SURVIVED)
        list(pool.map(self._try_alone, sorted(alone)))
        shutil.rmtree(self.place, ignore_errors=True)

    def _done(self, number, outcome, by=""):
        self.known.add(self.hash, self.mutants[number - 1], outcome, by)
        self.tell(outcome)

    # ---- Those that a program chooses. ----

    def _compile_schema(self, chosen):
        """The objects, the mutants that are in them, and those that nothing is known of."""
        path = self.build.root / self.file
        while chosen:
            text = self.schema.text(self.text, self.mutants, chosen, path)
            objects, message = self.build.compile(self.file, text, self.place / "all")
            if objects:
                return objects, chosen, set()
            # A body stands in its case as it would stand alone, so a fault inside of it is its own.
            wrong = refused(message) & chosen
            if not wrong:
                return [], set(), chosen
            for number in wrong:
                self._done(number, results.REFUSED)
            chosen = chosen - wrong
        return [], set(), set()

    def _try_chosen(self, pool, objects, alive):
        """Those that every test passes."""
        slow = []
        for program in self.programs:
            if not alive:
                return alive
            target = self._linked(program, objects, self.place / "all")
            plain = self.build.attempt(target, program, *FAST, entered=True)
            if plain.status == "overdue":
                slow.append((program, target))
                continue
            alive = self._kill(pool, self.build.attempt, target, program, None, plain, alive)
            target.unlink()
        twice = self.build.attempt_twice
        for program, target in slow:
            if not alive:
                return alive
            cases = self.build.cases(target) if program.cases else [None]
            plain = {only: twice(target, program, *LONGEST, only=only, entered=True) for only in cases}
            for only in sorted(cases, key=lambda each: plain[each].elapsed):
                alive = self._kill(pool, twice, target, program, only, plain[only], alive)
            target.unlink()
        return alive

    def _kill(self, pool, attempt, target, program, only, plain, alive):
        """Tries the living mutants of the functions that a test enters; returns who still lives."""
        self._demand(program, only, plain)
        reached = sorted(n for n in alive if self.schema.function_of[n] in plain.entered)

        def one(number):
            return attempt(target, program, *_limits(plain), mutant=number, only=only)

        dead = set()
        for number, ended in zip(reached, pool.map(one, reached)):
            if self._judged(number, program, only, ended):
                dead.add(number)
        return alive - dead

    def _judged(self, number, program, only, ended):
        if ended.status == "passed":
            return False
        name = os.path.basename(program.name)
        self.kills[program] = self.kills.get(program, 0) + 1
        outcome = results.OVERDUE if ended.status == "overdue" else results.KILLED
        self._done(number, outcome, " ".join(filter(None, [name, only or ended.case()])))
        return True

    def _demand(self, program, only, plain):
        if plain.status != "passed":
            said = plain.output[-2000:]
            raise RuntimeError(f"{program.name} {only or ''} {plain.status} without a mutant:\n{said}")

    def _linked(self, program, objects, place):
        target = place / os.path.basename(program.name)
        self.build.link(program, objects, target)
        return target

    # ---- Those that are compiled by themselves. ----

    def _try_alone(self, number):
        place = self.place / str(number)
        place.mkdir()
        text = changed(self.text, self.mutants[number - 1])
        objects, _ = self.build.compile(self.file, text, place)
        try:
            if objects is None:
                self._done(number, results.REFUSED)
            elif not self._killed_alone(number, objects, place):
                self._done(number, results.SURVIVED)
        except runs.OtherNames:
            self._done(number, results.REFUSED)
        shutil.rmtree(place)

    def _killed_alone(self, number, objects, place):
        slow = []
        for program in sorted(self.programs, key=lambda each: -self.kills.get(each, 0)):
            plain = self.build.plainly(program, *FAST)
            if plain.status == "overdue":
                slow.append(program)
                continue
            self._demand(program, None, plain)
            target = self._linked(program, objects, place)
            ended = self.build.attempt(target, program, *_limits(plain))
            if self._judged(number, program, None, ended):
                return True
            target.unlink()
        for program in slow:
            target = self._linked(program, objects, place)
            cases = self.build.cases(target) if program.cases else [None]
            plain = {only: self.build.plainly(program, *LONGEST, only) for only in cases}
            for only in sorted(cases, key=lambda each: plain[each].elapsed):
                self._demand(program, only, plain[only])
                ended = self.build.attempt_twice(target, program, *_limits(plain[only]), only=only)
                if self._judged(number, program, only, ended):
                    return True
        return False


def _limits(plain):
    """For what may go on without end, or sleep without end, on a machine that is busy."""
    return 1 + 5 * plain.seconds, 5 + 3 * plain.elapsed
