"""Where the functions of a file are: what a mutant may stand in and be chosen when the program runs."""

import dataclasses

# What may stand between a parameter list and a body; a return type in front of the body is skipped.
QUALIFIERS = {"noexcept", "const", "mutable", "override", "final", "constexpr", "&", "&&"}
SCOPES = {"namespace", "class", "struct", "union", "extern"}
ACCESS = {"public", "private", "protected"}
DECLARED_ONLY = {"using", "typedef", "static_assert", "friend"}


@dataclasses.dataclass(frozen=True, slots=True)
class Body:
    """The tokens of the braces, and what the function gives: "bool", "optional", "" (nobody knows)."""

    open: int
    close: int
    gives: str
    # Run by the compiler alone (consteval), maybe also by it (constexpr), or by the program.
    when: str = "run"


def lambda_at(source, brace):
    """The body that a brace opens, if it is that of a lambda."""
    index, gives = _back_over_return_type(source, brace - 1)
    while source.at(index) in QUALIFIERS:
        index -= 1
    if source.at(index) == ")" and index in source.partner:
        index = source.partner[index] - 1
    if source.at(index) != "]" or source.at(source.partner.get(index, 0) - 1) in ("]", "operator"):
        return None
    before = source.tokens[source.partner[index] - 1] if source.partner[index] else None
    if before is not None and (before.kind == "name" and before.text != "return" or before.text == ")"):
        return None  # an index
    return Body(brace, source.partner[brace], gives)


def _back_over_return_type(source, index):
    """Behind a trailing return type, `-> bool`, if there is one; and what it says."""
    start = index
    while index > 0 and start - index < 12 and source.at(index) not in (";", "{", "}", ")", "]"):
        if source.at(index) == "->":
            return index - 1, _kind_of_type([source.at(i) for i in range(index, start + 1)])
        index -= 1
    return start, ""


def _kind_of_type(words):
    if "optional" in words:
        return "optional"
    return "bool" if words[-1:] == ["bool"] or words[-2:] == ["bool", "const"] else ""


def lambdas(source):
    """Every lambda's body, in the order of the braces."""
    found = []
    for index, token in enumerate(source.tokens):
        if token.text == "{" and index in source.partner:
            body = lambda_at(source, index)
            if body:
                found.append(body)
    return found


def functions(source):
    """The outermost bodies of functions, lambdas outside of every function included."""
    found = []
    _scan(source, 0, len(source.tokens), found)
    return found


def _scan(source, index, end, found):
    """Declarations from one token to another."""
    head = index  # where the declaration begins
    while index < end:
        text = source.at(index)
        if text in (";", "}") or text == ":" and source.at(index - 1) in ACCESS:
            head = index + 1
        elif text == "{" and index in source.partner:
            close = source.partner[index]
            words = [source.at(i) for i in _top_level(source, head, index)]
            if lambda_at(source, index):
                found.append(lambda_at(source, index))
            elif _is_initializer(words):
                _scan_value(source, index + 1, close, found)
                index = close + 1
                continue  # the declaration goes on
            elif "(" in words and not _opens_type(words):
                found.append(Body(index, close, _kind_of_function(words), _when(words)))
            elif SCOPES & set(words) and "enum" not in words:
                _scan(source, index + 1, close, found)
            index = close
            head = close + 1
        elif text == "(" and index in source.partner:
            _scan_value(source, index + 1, source.partner[index], found)
            index = source.partner[index]
        index += 1


def _scan_value(source, index, end, found):
    """Lambdas between two tokens."""
    while index < end:
        if source.at(index) == "{":
            body = lambda_at(source, index)
            if body:
                found.append(body)
                index = body.close
        index += 1


def _top_level(source, first, end):
    """Indexes of tokens, without what is inside of brackets."""
    index = first
    while index < end:
        yield index
        index = source.partner[index] if source.partner.get(index, -1) > index else index + 1


def _is_initializer(words):
    if "operator" not in words and "=" in words:
        return True
    if "(" not in words:
        return not ({"enum"} | SCOPES) & set(words)
    # X::X(...) : a_(1), b_{2} {...}
    if ":" in words[words.index("(") :]:
        return words[-1:] != [")"] and words[-1:] != ["}"]
    return False


def _opens_type(words):
    return bool(SCOPES & set(words)) and "(" not in words or bool(DECLARED_ONLY & set(words[:1]))


def _when(words):
    before = words[: words.index("(")]
    return "compile" if "consteval" in before else "both" if "constexpr" in before else "run"


def _kind_of_function(words):
    before = words[: words.index("(")]
    if "->" in words:
        return _kind_of_type(words[words.index("->") :])
    if "optional" in before:
        return "optional"
    if "operator" in before:
        before = before[: before.index("operator")]
    else:
        before = before[:-1]
        while before[-1:] == ["::"]:
            before = before[:-2]
    return _kind_of_type(before)
