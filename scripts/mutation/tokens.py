"""C++ text as tokens: what an operator may change, and nothing else.

Comments and preprocessor lines give no token, literals one each. That is all that is known of the
language here: what a mutant means is the compiler's to say, and a token that was misread makes a
mutant that does not compile.
"""

import bisect
import dataclasses
import re

TOKEN = re.compile(
    r"""
    (?P<skip> \s+ | //[^\n]* | /\*.*?\*/ )
  | (?P<directive> \# (?: \\\n | [^\n] )* )
  | (?P<string> (?:u8|[uUL])? (?: R"(?P<mark>[^()\s\\]*)\(.*?\)(?P=mark)" | "(?:[^"\\\n]|\\.)*" ) )
  | (?P<character> (?:u8|[uUL])? '(?:[^'\\\n]|\\.)+' )
  | (?P<number> \.?\d (?: [eEpP][+-] | '(?=\w) | [\w.] )* )
  | (?P<name> [A-Za-z_]\w* )
  | (?P<sign>
      <=> | <<= | >>= | \.\.\. | ->\* | :: | -> | \+\+ | -- | && | \|\|
    | [<>=!+*/%&|^-]= | << | >> | . )
    """,
    re.VERBOSE | re.DOTALL,
)
OPENS = {"(": ")", "[": "]", "{": "}"}
CLOSES = {close: open for open, close in OPENS.items()}


@dataclasses.dataclass(frozen=True, slots=True)
class Token:
    kind: str  # string, character, number, name, sign
    text: str
    begin: int
    end: int
    spaced: bool  # white space on both sides: clang-format has it around what takes two operands


class Source:
    """One file's text, its tokens, and which bracket belongs to which."""

    def __init__(self, text):
        self.text = text
        self.tokens = list(_tokens(text))
        self.partner = {}  # index of a bracket -> index of the other
        self.around = []  # index of a token -> index of the innermost bracket that is open there, or -1
        self._match()
        self._lines = [0] + [match.end() for match in re.finditer("\n", text)]

    def _match(self):
        open_ones = []
        for index, token in enumerate(self.tokens):
            if token.kind == "sign" and token.text in CLOSES and open_ones:
                begin = open_ones.pop()
                self.partner[begin], self.partner[index] = index, begin
            self.around.append(open_ones[-1] if open_ones else -1)
            if token.kind == "sign" and token.text in OPENS:
                open_ones.append(index)

    def at(self, index):
        """The text of a token; nothing beyond the ends."""
        return self.tokens[index].text if 0 <= index < len(self.tokens) else ""

    def between(self, first, last):
        """The text from one token to another, both included."""
        return self.text[self.tokens[first].begin : self.tokens[last].end]

    def line(self, offset):
        return bisect.bisect_right(self._lines, offset)

    def lines_around(self, begin, end):
        """The offsets of the whole lines that the text between two offsets is on."""
        first = self._lines[self.line(begin) - 1]
        last = self.text.find("\n", max(begin, end - 1))
        return first, len(self.text) if last < 0 else last

    def is_angle(self, index):
        """Whether < or > is a bracket of a template's arguments."""
        return self.at(index) in ("<", ">", ">>") and not self.tokens[index].spaced

    def before_angle(self, index):
        """The index in front of the < that belongs to the > at an index; the index, where none is."""
        depth, at = 0, index
        while at >= 0 and (depth or at == index):
            if self.is_angle(at):
                depth += {"<": -1, ">": 1, ">>": 2}[self.at(at)]
            elif self.at(at) == ";" or at == index:
                return index
            at -= 1
        return at

    def after_angle(self, index):
        """The index behind the > that belongs to the < at an index."""
        depth = 0
        while index < len(self.tokens):
            if self.is_angle(index):
                depth += {"<": 1, ">": -1, ">>": -2}[self.at(index)]
                if depth <= 0:
                    return index + 1
            elif index in self.partner:
                index = max(index, self.partner[index])
            elif self.at(index) == ";":
                break
            index += 1
        return index


def _tokens(text):
    for match in TOKEN.finditer(text):
        kind = match.lastgroup
        if kind in ("skip", "directive"):
            continue
        begin, end = match.span()
        spaced = text[begin - 1 : begin].isspace() and text[end : end + 1].isspace()
        yield Token(kind, match[0], begin, end, spaced)
