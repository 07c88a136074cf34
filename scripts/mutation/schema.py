"""All mutants of a file in one text, of which a program chooses one when it starts.

Each function's body becomes a switch with a case for each of its mutants: the whole body once more,
with the one change. So nothing has to be known about expressions and types, and the file is compiled
once. What is outside of functions, or run by the compiler, cannot be chosen so: it is compiled by
itself, a mutant at a time.
"""

import dataclasses
import re

from mutation import bodies
from mutation.tokens import Source

ERROR = re.compile(r"^mutant/(\d+):[\d:]+ (?:fatal )?error: ", re.MULTILINE)


@dataclasses.dataclass(frozen=True, slots=True)
class Schema:
    """Numbers of mutants, from 1, to the numbers of their functions; and who is run by the compiler."""

    function_of: dict
    maybe_compiled: set  # mutants in a constexpr function
    spans: list  # of each function: the offsets inside its braces

    def text(self, source_text, mutants, chosen, path):
        """The file with the chosen ones of its mutants, by number."""
        by_function = {}
        for number in sorted(chosen):
            by_function.setdefault(self.function_of[number], []).append(number)
        out, at = [], 0
        for function in sorted(by_function, key=lambda each: self.spans[each]):
            begin, end = self.spans[function]
            out += [source_text[at:begin], f" switch (::sandproof_mutation::wanted({function})) {{\n"]
            for number in by_function[function]:
                body = changed(source_text, mutants[number - 1], begin, end)
                out.append(f'case {number}: {{\n#line 1 "mutant/{number}"\n{body}\n}} break;\n')
            line = source_text.count("\n", 0, begin) + 1
            out.append(f'default: {{\n#line {line} "{path}"\n{source_text[begin:end]}\n}} }}\n')
            out.append(f'#line {source_text.count(chr(10), 0, end) + 1} "{path}"\n')
            at = end
        return "".join(out) + source_text[at:]


def changed(text, mutant, begin=0, end=None):
    """The text, or a part of it, with a mutant's change."""
    end = len(text) if end is None else end
    return text[begin : mutant.begin] + mutant.text + text[mutant.end : end]


def schema(source_text, mutants):
    source = Source(source_text)
    functions = [each for each in bodies.functions(source) if each.when != "compile"]
    spans = [(source.tokens[each.open].end, source.tokens[each.close].begin) for each in functions]
    function_of, maybe_compiled = {}, set()
    for number, mutant in enumerate(mutants, 1):
        for index, (begin, end) in enumerate(spans):
            if begin <= mutant.begin and mutant.end <= end:
                function_of[number] = index
                if functions[index].when == "both":
                    maybe_compiled.add(number)
    return Schema(function_of, maybe_compiled, spans)


def refused(message):
    """The mutants that a compiler's message finds fault with. An error in a template is of who changed
    the template, not of those who use it."""
    return {int(number) for number in ERROR.findall(message)}
