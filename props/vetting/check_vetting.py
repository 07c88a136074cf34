"""check_vetting.py ROOT BUILD_DIR: VETTING.md says what is there, and SECURITY.md names its claims.

- Every test, fuzz target, planted bug, mutant and header that a claim names exists; every claim has a test,
  and something that breaks it.
- Every public function and every code of a refusal or an error is claimed, and every planted bug and mutant
  breaks a claim.
- What stands on the first page is what is measured: the ten claims word for word, the lines of code and the
  needs of each archive, the symbols that the core takes from outside.

Then each of some slips is made in what was read, and must be noticed.
"""

import copy
import pathlib
import re
import sys

import sources
from hermetic_test import fits

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
import meson_info  # noqa: E402

PAGE, THREATS = "VETTING.md", "SECURITY.md"
HEADING = re.compile(r"^### (T-[a-z0-9-]+): (.+)$")
FIELD = re.compile(r"^- ([a-z ]+): (.*)$")
ITEM = re.compile(r"(?:^|, )(?:([A-Za-z ]+) )?`([^`]+)`")
NEEDED = ("stated in", "assumes", "tests", "broken by")
FIELDS = NEEDED + ("covers", "codes", "fuzz")
TOP = re.compile(r"^\d+\. (.+) \((T-[a-z0-9-]+)\)$", re.M)
ASSUMPTION = re.compile(r"^- \*\*(A\d+)\*\*", re.M)
WHOLE = ("planted", "provider mutant", "wrapper mutant", "compile case", "slip")  # each of these breaks a claim


# A header as one could be, and what of it is public.
EXAMPLE = """
#define NOT_ONE(x) f(x)
namespace sandproof {
enum class No { one };
inline constexpr int k_none = static_cast<int>(1);  // k(1);
[[nodiscard]] std::string one(const std::vector<int>& list = {}) noexcept;
struct Open { int two() const { return no(2); } std::function<void(int)> none; };
class Shut : public Open {
  Shut(int);
 public:
  template <class S> static Shut three(S&& text) = delete;
  explicit Shut(std::string_view text) noexcept : text_(text) {}
  ~Shut() override;
  friend bool operator==(const Shut&, const Shut&) = default;
  friend void not_seen(Shut);
  class Inner { void not_seen(); public: virtual bool four(int) = 0; };
 private:
  struct Hidden { void not_seen(); };
  void not_seen();
};
template <class T> struct Step<T>::promise { void five(); };
}
"""
PUBLIC = {("one", "vector"), ("Open::two", ""), ("Shut::Shut", "string_view"), ("Shut::Inner::four", "int"),
          ("Step::promise::five", "")}


class Claim:
    def __init__(self, name, sentence):
        self.name, self.sentence, self.argument = name, sentence, ""
        self.fields = {}  # a field's name, and its items: (kind or "", name)


class Page:
    def __init__(self, text, threats):
        self.text, self.threats, self.claims, self.problems = text, threats, [], []
        claim, field = None, None
        for line in text.splitlines():
            if match := HEADING.match(line):
                claim, field = Claim(*match.groups()), None
                self.claims.append(claim)
            elif line.startswith("#"):
                claim = None
            elif claim is None:
                continue
            elif match := FIELD.match(line):
                field = match[1]
                if field not in FIELDS or field in claim.fields:
                    self.problems.append(f"{claim.name}: `- {field}:` stands twice, or is none of "
                                         f"{', '.join(FIELDS)}")
                claim.fields[field] = match[2]
            elif field and line.startswith("  "):
                claim.fields[field] += " " + line.strip()
            elif line.strip():
                claim.argument, field = f"{claim.argument} {line}".strip(), None
        for claim in self.claims:
            claim.fields = {name: self._items(claim, name, text) for name, text in claim.fields.items()}

    def _items(self, claim, field, text):
        if field == "assumes":
            return [("", each) for each in text.split(", ") if each != "nothing"]
        items = [(kind or "", name) for kind, name in ITEM.findall(text)]
        if ", ".join(f"{kind} `{name}`".strip() for kind, name in items) != text:
            self.problems.append(f"{claim.name}: `- {field}:` is no list of `names` with commas between")
        return items


def problems_of_claim(claim, facts):
    if not claim.argument:
        yield "say in a sentence or three why it is so"
    for field in NEEDED:
        if field not in claim.fields or field != "assumes" and not claim.fields[field]:
            yield f"give it `- {field}: ...`"
    for _, name in claim.fields.get("stated in", ()):
        if name not in facts.stated:
            yield f"`{name}` is no public header, and no `API-CONVENTIONS.md, Heading`: name where the rule is"
    for field, known in (("covers", facts.functions), ("codes", facts.codes)):
        for _, name in claim.fields.get(field, ()):
            if not any(fits(each, name) for each in known):
                yield f"{field} `{name}`: no public header has it; take it out, or write its new name"
    for _, name in claim.fields.get("fuzz", ()):
        if name not in facts.fuzz:
            yield f"there is no fuzz/{name}_fuzzer.cc"
    for kind, name in claim.fields.get("broken by", ()):
        finder = facts.finders.get(name) if kind == "planted" else None
        if finder and ("", finder) not in claim.fields.get("fuzz", ()):
            yield f"planted `{name}` is found by `{finder}`: put that behind `- fuzz:`"
    for field, known in (("tests", facts.tests), ("broken by", facts.breaks)):
        for kind, name in claim.fields.get(field, ()):
            if kind not in known:
                yield f"{field}: `{name}` needs one of these words before it: {', '.join(filter(None, known))}"
            elif name not in known[kind]:
                yield f"there is no {kind or 'test case'} `{name}`: was it renamed? Name what replaced it"


def problems_of_cover(page, facts):
    for field, known, what in (("covers", facts.functions, "the function"), ("codes", facts.codes, "the code")):
        patterns = {name for claim in page.claims for _, name in claim.fields.get(field, ())}
        for name in sorted(known):
            if not any(fits(name, pattern) for pattern in patterns):
                yield f"no claim has {what} `{name}`: put it behind `- {field}:` of the claim that is about it"
    broken = {item for claim in page.claims for item in claim.fields.get("broken by", ())}
    for kind in WHOLE:
        for name in sorted(facts.breaks[kind]):
            if (kind, name) not in broken:
                yield f"no claim is broken by {kind} `{name}`: put it behind `- broken by:` of the one it breaks"


def hundreds(lines):
    """Rounded up, so that the page need not follow every line that is written."""
    return f"{-(-lines // 100) * 100:,}"


def problems_of_first_page(page, facts):
    sentences = {claim.name: claim.sentence for claim in page.claims}
    top = TOP.findall(page.text)
    if len(top) != 10:
        yield f"the first page has {len(top)} claims of the form `1. Sentence (T-name)`, not ten"
    for sentence, name in top:
        if sentences.get(name) != sentence:
            yield f"the first page says of {name} what its heading does not: make both one sentence"
    assumed = {name for claim in page.claims for _, name in claim.fields.get("assumes", ())}
    stated = set(ASSUMPTION.findall(page.text))
    for name in sorted(assumed ^ stated):
        yield f"{name} is assumed and not stated, or stated (`- **{name}**`) and assumed by no claim"
    rows = {line for line in page.text.splitlines() if line.startswith("| ")}
    for archive, (lines, needs) in facts.trusted.items():
        wanted = f"| `{archive}` | {hundreds(lines)} | {needs} |"
        if not any(row.startswith(wanted) for row in rows):
            yield f"the row of {archive} has to begin with: {wanted}"
    total = f"{hundreds(sum(lines for lines, _ in facts.trusted.values()))} lines of code"
    if total not in page.text:
        yield f"the archives have {total} together: say so above their table"
    for kind, count in facts.kinds.items():
        if not any(row.startswith(f"| {kind} | {count} |") for row in rows):
            yield f"the row of the symbols for {kind} has to begin with: | {kind} | {count} |"


def problems_of_threats(page):
    names = {claim.name for claim in page.claims}
    rows = [line for line in page.threats.splitlines() if re.match(r"\| T\d", line)]
    for row in rows:
        claims = re.findall(r"\bT-[a-z0-9-]+", row)
        for name in [each for each in claims if each not in names] + ([] if claims else ["no claim"]):
            yield f"{THREATS} says that {name} holds against a threat: {PAGE} has no such claim"
    if not rows:
        yield f"{THREATS} has no row of a threat, `| T1 | ... | T-claim |`"


def problems_of(page, facts):
    names = [claim.name for claim in page.claims]
    problems = page.problems + [f"{name} stands twice" for name in sorted(set(names)) if names.count(name) > 1]
    for claim in page.claims:
        problems += [f"{claim.name}: {problem}" for problem in problems_of_claim(claim, facts)]
    return problems + [*problems_of_cover(page, facts), *problems_of_first_page(page, facts),
                       *problems_of_threats(page)]


def slips(text, threats, facts):
    """A title, and both texts and the facts with one slip in them. What is changed has to be there."""
    def changed(title, whole, pattern, new):
        result, count = re.subn(pattern, new, whole, count=1, flags=re.M)
        return title if count else f"{title} (nothing to change)", result

    def instead(title, pattern, new):
        title, page = changed(title, text, pattern, new)
        return title, page, threats, facts

    yield instead("a test that is renamed", r"^(- tests: `\w+)\.", r"\1.Not")
    yield instead("a claim without a test", r"^- tests: .*\n(  .*\n)*", "")
    yield instead("a claim that nothing breaks", r"^- broken by: .*\n(  .*\n)*", "")
    yield instead("a claim without an argument", r"^(### T-.*\n\n)[^-]+\n\n- ", r"\1- ")
    yield instead("a planted bug that is gone", r"planted `", "planted `no-")
    yield instead("a mutant that is gone", r"provider mutant `", "provider mutant `no-")
    yield instead("a mutant of the wrapper that is gone", r"wrapper mutant `", "wrapper mutant `no-")
    yield instead("a case that compiles", r"compile case `", "compile case `9")
    yield instead("a slip that nobody makes", r"slip `", "slip `no-")
    yield instead("a kind of test that there is not", r"^- tests: `", "- tests: example `")
    yield instead("a target that is gone", r"^- fuzz: ", "- fuzz: `gone`, ")
    yield instead("a header that is gone", r"^- stated in: `", "- stated in: `no_")
    yield instead("a function that is gone", r"^- covers: ", "- covers: `gone`, ")
    yield instead("a code that is gone", r"^- codes: ", "- codes: `gone`, ")
    yield instead("a field that there is not", r"^- fuzz: ", "- more: `x`\n- fuzz: ")
    yield instead("names without backticks", r"^(- tests: )`(.*?)`", r"\1\2")
    yield instead("an assumption that nobody stated", r"^- assumes: .*$", "- assumes: A99")
    yield instead("an assumption that nobody makes", r"^- \*\*A1\*\*", "- **A98**")
    yield instead("a sentence that is another on the first page", r"^1\. ", "1. Perhaps ")
    yield instead("a claim twice", r"^(### T-.*\n)", r"\1\n\1")
    yield instead("nine claims on the first page", r"^10\. .*\n", "")
    yield instead("another number of lines", r"^(\| `libsandproof.a` \| )\d", r"\g<1>8")
    yield instead("another number of all lines", r"[\d,]+( lines of code)", r"1\1")
    yield instead("another need", r"^(\| `libsandproof.a` .*?)libsodium", r"\1libnone")
    yield instead("another number of symbols", r"^(\| bytes \| )\d+", r"\g<1>99")
    for title, pattern, new in (("a threat, and a claim that is gone", r"(\| T-)", r"\1no-"),
                                ("a threat without a claim", r"\| T-.*$", "| nothing |")):
        title, page = changed(title, threats, pattern, new)
        yield title, text, page, facts
    yield "no threats", text, "", facts
    for field, name in (("functions", "new_function"), ("codes", "new_reason")):
        more = copy.copy(facts)
        setattr(more, field, getattr(facts, field) | {name})
        yield f"{name}, which no claim has", text, threats, more
    more = copy.copy(facts)
    more.breaks = {**facts.breaks, "planted": facts.breaks["planted"] | {"new-bug"}}
    yield "new-bug, which breaks no claim", text, threats, more
    more = copy.copy(facts)
    more.finders = {**facts.finders, "deadline-overflow": "quote"}
    yield "a planted bug that another target finds", text, threats, more


def main():
    root, build_dir = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
    facts = sources.Facts(root, {test["name"] for test in meson_info.tests(build_dir)})
    text, threats = sources.read(root / PAGE), sources.read(root / THREATS)
    page = Page(text, threats)
    problems = problems_of(page, facts)
    if (read := set(sources.Header(EXAMPLE).functions)) != PUBLIC:
        problems.append(f"the example of a header is misread: {sorted(read ^ PUBLIC)}")
    if not problems:
        problems = [f"this test does not notice: {title}" for title, *pages, known in slips(text, threats, facts)
                    if not problems_of(Page(*pages), known)]
    if problems:
        sys.exit("\n".join(each if each.startswith(THREATS) else f"{PAGE}: {each}" for each in problems))
    tests = {item for claim in page.claims for item in claim.fields["tests"]}
    breaks = {item for claim in page.claims for item in claim.fields["broken by"]}
    print(f"{len(page.claims)} claims, {len(tests)} tests, {len(breaks)} things that break them; "
          f"{len(facts.functions)} functions and {len(facts.codes)} codes are claimed")


if __name__ == "__main__":
    main()
