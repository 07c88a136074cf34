"""Mutants of a file: each is one small change, as the slip of a programmer would be.

  relational   < and >=, > and <=, == and != for each other
  boundary     < and <=, > and >= for each other
  logical      && and || for each other; a ! left out
  arithmetic   + and -, += and -=, ++ and -- for each other
  constant     a number one more and one less (0: only more), true and false for each other
  deletion     a whole expression statement left out
  return       true, false, std::nullopt or {} returned instead
  swap         two arguments side by side, of a call in a function; not of std::min and std::max
  enumerator   the next one of its enumeration
"""

import dataclasses
import hashlib
import re

from mutation import bodies
from mutation.tokens import Source

RELATIONAL = {"<": ">=", ">=": "<", ">": "<=", "<=": ">", "==": "!=", "!=": "=="}
BOUNDARY = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
LOGICAL = {"&&": "||", "||": "&&"}
ARITHMETIC = {"+": "-", "-": "+"}
ASSIGNING = {"+=": "-=", "-=": "+=", "++": "--", "--": "++"}
BOOLEANS = {"true": "false", "false": "true"}
NUMBER = re.compile(r"(0x[\da-f']+|[\d']+)([ulz]*)", re.I)
# What begins a statement that is no expression, or takes parentheses and is no call.
NO_EXPRESSION = set(
    """alignas asm auto break case catch class co_await co_return co_yield const constexpr continue
    decltype default delete do else enum for friend goto if namespace noexcept operator private
    protected public requires return sizeof static static_assert struct switch template throw try
    typedef typename union using while""".split()
)
ENUM = re.compile(r"\benum\s+(?:class\s+|struct\s+)?(\w+)\s*(?::[^{;]*)?\{([^}]*)\}")


@dataclasses.dataclass(frozen=True, slots=True)
class Mutant:
    file: str
    operator: str
    begin: int  # what is replaced, as offsets in the text of the file
    end: int
    text: str  # what stands there instead
    line: int
    before: str  # the lines that it changes, each white space as one blank
    after: str

    @property
    def key(self):
        return f"{self.operator} {self.begin} {self.end} {self.text}"


def enumerators(texts):
    """(enumeration, enumerator) -> the next one, from the text of headers."""
    following = {}
    for text in texts:
        text = re.sub(r"//[^\n]*", "", text)
        for name, inside in ENUM.findall(text):
            names = re.findall(r"(?:^|,)\s*(\w+)", inside)
            for i, each in enumerate(names):
                if len(names) > 1:
                    following[name, each] = names[(i + 1) % len(names)]
    return following


def text_hash(text):
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def mutants(file, text, following):
    """Every mutant of a file's text, in the order of the text."""
    source = Source(text)
    found = {}
    for operator, begin, end, new in _changes(source, following):
        if text[begin:end] == new:
            continue
        first, last = source.lines_around(begin, end)
        before = " ".join(text[first:last].split())
        after = " ".join((text[first:begin] + new + text[end:last]).split())
        found.setdefault((begin, end, new), Mutant(
            file, operator, begin, end, new, source.line(begin), before, after))
    return [found[place] for place in sorted(found)]


def _changes(source, following):
    functions = bodies.functions(source)
    lambdas = bodies.lambdas(source)
    in_body = [None] * len(source.tokens)
    for body in functions + lambdas:  # an inner one comes later
        in_body[body.open : body.close + 1] = [body] * (body.close + 1 - body.open)
    named = {body.open for body in functions} - {body.open for body in lambdas}
    skipped = _never_mutated(source)
    for index, token in enumerate(source.tokens):
        if index in skipped:
            continue
        for operator, first, last, new in [
            *_of_token(source, index, following),
            *(_of_statement(source, index) if in_body[index] else ()),
            *(_of_return(source, index, in_body[index], named) if in_body[index] else ()),
            *(_of_call(source, index) if in_body[index] else ()),
        ]:
            yield operator, first, last, new


def _never_mutated(source):
    """What is inside of static_assert and noexcept: true or it does not compile."""
    skipped = set()
    for index in range(len(source.tokens)):
        if source.at(index) in ("static_assert", "noexcept") and source.at(index + 1) == "(":
            skipped.update(range(index, source.partner.get(index + 1, index) + 1))
    return skipped


def _of_token(source, index, following):
    token = source.tokens[index]
    text, place = token.text, (token.begin, token.end)
    if token.kind == "number":
        yield from (("constant", *place, new) for new in _numbers_beside(text))
    elif text in BOOLEANS:
        yield "constant", *place, BOOLEANS[text]
    elif token.kind == "name" and source.at(index - 1) == "::":
        new = following.get((source.at(index - 2), text))
        if new:
            yield "enumerator", *place, new
    elif token.kind != "sign" or source.at(index - 1) == "operator":
        return
    elif text == "!":
        yield "logical", *place, ""
    elif text in ASSIGNING:
        yield "arithmetic", *place, ASSIGNING[text]
    elif token.spaced:
        for operator, table in (("relational", RELATIONAL), ("boundary", BOUNDARY),
                                ("logical", LOGICAL), ("arithmetic", ARITHMETIC)):
            if text in table:
                yield operator, *place, table[text]


def _numbers_beside(text):
    match = NUMBER.fullmatch(text)
    if not match:
        return []
    digits = match[1].replace("'", "")
    hexadecimal = digits[:2].lower() == "0x"
    if not hexadecimal and len(digits) > 1 and digits[0] == "0":
        return []  # octal, or a binary number's text
    value = int(digits, 16 if hexadecimal else 10)
    values = [value + 1] if value == 0 else [value - 1, value + 1]
    return [(hex(each) if hexadecimal else str(each)) + match[2] for each in values]


def _of_statement(source, index):
    """The expression statement that begins with a token."""
    around = source.around[index]
    if around < 0 or source.at(around) != "{" or not _begins_statement(source, index):
        return
    end = index
    while source.at(end) != ";":
        end = source.partner[end] + 1 if source.partner.get(end, -1) > end else end + 1
        if end >= len(source.tokens) or source.around[end] != around or source.at(end) == "}":
            return
    yield "deletion", source.tokens[index].begin, source.tokens[end].end, ";"


def _begins_statement(source, index):
    token = source.tokens[index]
    if not (token.kind == "name" or token.text in ("*", "++", "--", "(", "::")):
        return False
    if token.text in NO_EXPRESSION or _declares(source, index):
        return False
    before = source.at(index - 1)
    if before == ")":
        keyword = source.at(source.partner[index - 1] - 1)
        return keyword in ("if", "for", "while", "constexpr")
    if before == ":":
        return _ends_label(source, index - 1)
    return before in (";", "{", "}", "else", "do")


def _ends_label(source, colon):
    index = colon - 1
    while source.at(index) not in (";", "{", "}", "?", ":"):
        if source.at(index) in ("case", "default"):
            return True
        index -= 1
    return False


def _declares(source, index):
    """Whether a declaration begins here: a type, and behind it a name."""
    while True:
        if source.at(index) == "::":
            index += 1
        if index >= len(source.tokens) or source.tokens[index].kind != "name":
            return False
        index += 1
        if source.at(index) == "<" and source.is_angle(index):
            index = source.after_angle(index)
        if source.at(index) != "::":
            break
    while source.at(index) in ("const", "&", "&&", "*"):
        index += 1
    return index < len(source.tokens) and source.tokens[index].kind == "name"


def _of_return(source, index, body, named):
    if source.at(index) not in ("return", "co_return") or source.at(index + 1) == ";":
        return
    end = index + 1
    while source.at(end) != ";":
        end = source.partner[end] + 1 if source.partner.get(end, -1) > end else end + 1
        if end >= len(source.tokens):
            return
    words = [source.at(i) for i in bodies._top_level(source, index + 1, end)]
    if body.gives == "bool" or not body.gives and _is_condition(source, index + 1, end, words):
        instead = ["true", "false"]
    elif body.gives == "optional":
        instead = ["std::nullopt"]
    elif body.open in named:
        instead = ["{}"]
    else:
        return  # a lambda's type would change with it
    first, last = source.tokens[index + 1].begin, source.tokens[end - 1].end
    now = source.text[first:last]
    if now in ("true", "false", "std::nullopt", "{}"):
        instead = [each for each in instead if each not in BOOLEANS]
    same = {now, "{}"} if now in ("0", "nullptr") else {now}
    yield from (("return", first, last, new) for new in instead if new not in same)


def _is_condition(source, first, end, words):
    if "?" in words:
        return False
    signs = [
        source.at(i) for i in bodies._top_level(source, first, end) if source.tokens[i].spaced
    ]
    return source.at(first) == "!" or any(sign in RELATIONAL or sign in LOGICAL for sign in signs)


def _of_call(source, index):
    """Arguments side by side, of the call or braces that open with a token."""
    if source.at(index) not in ("(", "{") or index not in source.partner or index == 0:
        return
    called = source.tokens[source.before_angle(index - 1)]
    if called.kind != "name" or called.text in NO_EXPRESSION or called.text in ("min", "max"):
        return
    close = source.partner[index]
    commas, depth, at = [], 0, index + 1
    while at < close:
        if source.is_angle(at):
            depth += {"<": 1, ">": -1, ">>": -2}[source.at(at)]
        elif source.at(at) == ";":
            return  # a body
        elif source.at(at) == "," and depth == 0:
            commas.append(at)
        at = source.partner[at] + 1 if source.partner.get(at, -1) > at else at + 1
    edges = [index, *commas, close]
    for left, middle, right in zip(edges, edges[1:], edges[2:]):
        if left + 1 < middle and middle + 1 < right:
            one = source.between(left + 1, middle - 1)
            other = source.between(middle + 1, right - 1)
            begin, end = source.tokens[left + 1].begin, source.tokens[right - 1].end
            if one != other:
                yield "swap", begin, end, f"{other}, {one}"
