"""Changes of the C interface, and what scripts/abi must say of each: what --check-itself runs.

A change is made by replacing one text of a copy, which must be there exactly once.
"""

import pathlib
import shutil
import tempfile

from c_abi import BUILD, EXPORTS, FUNCTIONS, HEADER, SYMBOLS, CannotTell, Interface, check, record

DEADLINE = "sandproof_status sandproof_deadline_parse(sandproof_text text, int64_t* milliseconds,"
NO_PLACE = "#define SANDPROOF_NO_PLACE"
TEXT = "  const char* data;\n  size_t size;\n} sandproof_text;"
PIECE = "} sandproof_piece;"
OUTCOMES = "SANDPROOF_OUTCOME_RAN = 0, SANDPROOF_OUTCOME_NOT_RUN = 1,"
FREE = "void sandproof_egress_free(sandproof_egress* egress) SANDPROOF_NOEXCEPT;"

# Title, file, text, what stands there instead, and a part of what is said of it.
INCOMPATIBLE = [
    ("a function is removed", HEADER, FREE, "", "sandproof_egress_free"),
    ("a function has another name", HEADER, "sandproof_deadline_parse(sandproof_text",
     "sandproof_deadline_read(sandproof_text", "sandproof_deadline_parse"),
    ("a parameter is narrower", HEADER, DEADLINE, DEADLINE.replace("int64_t", "int32_t"),
     "sandproof_deadline_parse"),
    ("a parameter has another sign", HEADER, DEADLINE, DEADLINE.replace("int64_t", "uint64_t"),
     "sandproof_deadline_parse"),
    ("a parameter is another opaque object", HEADER, "_free(sandproof_document* ",
     "_free(sandproof_egress* ", "sandproof_document_free"),
    ("a parameter is added", HEADER, FREE, FREE.replace("* egress", "* egress, int32_t how"),
     "sandproof_egress_free"),
    ("a result has another type", HEADER, FREE, FREE.replace("void", "sandproof_status"),
     "sandproof_egress_free"),
    ("members are swapped", HEADER, TEXT, TEXT.replace("  const char* data;\n  size_t size;",
     "  size_t size;\n  const char* data;"), "sandproof_text"),
    ("a member is added behind the others", HEADER, PIECE, "  sandproof_text more;\n" + PIECE,
     "sandproof_piece"),
    ("enumerators are swapped", HEADER, OUTCOMES, OUTCOMES.replace("RAN = 0", "RAN = 1")
     .replace("NOT_RUN = 1", "NOT_RUN = 0"), "SANDPROOF_OUTCOME_NOT_RUN is 0; it was 1"),
    ("an enumerator comes before another", HEADER, "SANDPROOF_SCHEME_SEALED = 0,",
     "SANDPROOF_SCHEME_OPEN, SANDPROOF_SCHEME_SEALED,", "SANDPROOF_SCHEME_SEALED is 1; it was 0"),
    ("an enumerator is removed", HEADER, ", SANDPROOF_SCHEME_NONCE = 1", "",
     "SANDPROOF_SCHEME_NONCE is gone"),
    ("a size that callers make room for", HEADER, "#define SANDPROOF_CALL_ID_SIZE 32",
     "#define SANDPROOF_CALL_ID_SIZE 64", "SANDPROOF_CALL_ID_SIZE is 64; it was 32"),
    ("the number is raised and nothing recorded", EXPORTS, "SANDPROOF_0 {", "SANDPROOF_1 {", "--record"),
]
COMPATIBLE = [
    ("nothing", HEADER, NO_PLACE, NO_PLACE, "compatible"),
    ("a parameter has another name", HEADER, FREE, FREE.replace("* egress", "* object"), "compatible"),
]
UNRECORDED = [
    ("a function is added", HEADER, FREE,
     FREE + "\nvoid sandproof_new(\n    int32_t how)\n    SANDPROOF_NOEXCEPT;", "added: sandproof_new"),
    ("an enumerator is added behind the others", HEADER, "SANDPROOF_SCHEME_NONCE = 1",
     "SANDPROOF_SCHEME_NONCE = 1, SANDPROOF_SCHEME_NEW", "added: SANDPROOF_SCHEME_NEW"),
    ("a constant is added", HEADER, NO_PLACE, "#define SANDPROOF_NEW 1\n" + NO_PLACE,
     "added: SANDPROOF_NEW"),
    ("the list of symbols lacks one", SYMBOLS.format(0), " sandproof_quote@", " sandproof_quoted@",
     "lacks sandproof_quote@SANDPROOF_0"),
    ("it has one that is gone", SYMBOLS.format(0), " sandproof_quote@",
     " sandproof_old@SANDPROOF_0 0.1.0\n sandproof_quote@", "has 'sandproof_old@SANDPROOF_0'"),
    ("it has one that may be gone", SYMBOLS.format(0), " sandproof_quote@",
     " (optional)sandproof_quote@", "lacks sandproof_quote@SANDPROOF_0"),
    ("it has a symbol without its version", SYMBOLS.format(0), " sandproof_quote@SANDPROOF_0 ",
     " sandproof_quote@Base ", "lacks sandproof_quote@SANDPROOF_0"),
    ("it has one twice", SYMBOLS.format(0), " sandproof_quote@",
     " sandproof_quote@SANDPROOF_0 0.1.0\n sandproof_quote@", "twice"),
    ("it is of another library", SYMBOLS.format(0), "libsandproof_c.so.0 ", "libsandproof_c.so.1 ",
     "begins otherwise"),
]
UNTELLABLE = [
    ("a declaration that may throw", HEADER, FREE, FREE.replace(" SANDPROOF_NOEXCEPT", ""), "understood"),
    ("a dump that is none", FUNCTIONS, "soname='libsandproof_c.so.0'", "", "names no SONAME"),
    ("a header that does not compile", HEADER, PIECE, "sandproof_piece;", "cc failed"),
    ("a map without a version", EXPORTS, "SANDPROOF_0 {", "{", "SANDPROOF_N"),
]


def judged(tree, judge):
    with tempfile.TemporaryDirectory() as directory:
        try:
            status, said = judge(tree, Interface(tree, pathlib.Path(directory)))
        except CannotTell as reason:
            return 2, str(reason)
    return status, "\n".join(said)


def changed(tree, file, text, instead):
    path = tree / file
    before = path.read_text("utf-8")
    if before.count(text) != 1:
        raise CannotTell(f"{file} has no longer exactly one {text!r}: mend scripts/c_abi_mutants.py")
    path.write_text(before.replace(text, instead), "utf-8")


def cases(root, new_tree):
    """Each case: its title, the statuses wanted and got, a text wanted and the one got."""
    for status, table in ((0, COMPATIBLE), (1, INCOMPATIBLE), (1, UNRECORDED), (2, UNTELLABLE)):
        for title, file, text, instead, words in table:
            tree = new_tree()
            changed(tree, file, text, instead)
            yield title, status, words, *judged(tree, check)

    tree = new_tree()
    changed(tree, HEADER, FREE, "")
    yield "an incompatible change is not recorded", 1, "nothing was recorded", *judged(tree, record)
    yield "and the old record is kept", 1, "sandproof_egress_free", *judged(tree, check)
    changed(tree, EXPORTS, "SANDPROOF_0 {", "SANDPROOF_1 {")
    yield "it is under a raised number", 0, "recorded libsandproof_c.so.1", *judged(tree, record)
    yield "and compatible from then on", 0, "libsandproof_c.so.1", *judged(tree, check)
    changed(tree, EXPORTS, "SANDPROOF_1 {", "SANDPROOF_0 {")
    yield "a number does not go back", 1, "never goes back", *judged(tree, record)

    tree = new_tree()
    changed(tree, HEADER, FREE, FREE + "\nvoid sandproof_new(void) SANDPROOF_NOEXCEPT;")
    (tree / BUILD).write_text("project('sandproof',\n  version: '9.9.9')\n", "utf-8")
    yield "an addition is recorded", 0, "recorded", *judged(tree, record)
    yield "and not asked for again", 0, "compatible", *judged(tree, check)
    symbols = dict(line.split() for line in
                   (tree / SYMBOLS.format(0)).read_text("utf-8").splitlines()[2:])
    since = [symbols.get(f"{name}@SANDPROOF_0") for name in ("sandproof_new", "sandproof_quote")]
    yield "and known to be of this version", True, "", since[0] == "9.9.9" != since[1], str(since)
    (tree / SYMBOLS.format(0)).unlink()
    yield "without a list of symbols", 2, "--record", *judged(tree, check)
    changed(tree, HEADER, "\nvoid sandproof_new(void) SANDPROOF_NOEXCEPT;", "")
    yield "and is kept from then on", 1, "sandproof_new", *judged(tree, check)
    shutil.rmtree((tree / FUNCTIONS).parent)
    yield "without a record", 2, "--record", *judged(tree, check)
    yield "a first record", 0, "recorded", *judged(tree, record)
    changed(tree, SYMBOLS.format(0), " sandproof_quote@", " sandproof_quoted@")
    yield "a wrong list of symbols is mended", 0, "recorded", *judged(tree, record)
    yield "and right then", 0, "compatible", *judged(tree, check)
    same = (tree / FUNCTIONS).read_bytes() == (new_tree() / FUNCTIONS).read_bytes()
    yield "a record has the same bytes from another directory", True, "", same, "other bytes"


def main(root):
    passed = failed = 0
    with tempfile.TemporaryDirectory() as temporary:
        made = []

        def new_tree():
            """A copy of what is compared, recorded as it is."""
            tree = pathlib.Path(temporary) / str(len(made))
            made.append(tree)
            for file in (HEADER, EXPORTS, BUILD):
                (tree / file).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(root / file, tree / file)
            judged(tree, record)
            return tree

        for title, status, words, got, said in cases(root, new_tree):
            if got == status and words in said:
                passed += 1
                continue
            failed += 1
            print(f"FAILED  {title}: status {got}, wanted {status} and {words!r}; it said:\n{said}")
    print(f"{passed} passed, {failed} failed")
    return failed != 0
