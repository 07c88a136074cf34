"""Attacks by a document: what a service says of a sandbox's policy, read twice."""
import json

from attack import Works
from sandproof import Sandproof

DENIED = {"defaultAction": "Deny", "trafficInspection": "Full",
          "hostRules": [{"pattern": "*", "action": "Deny"}]}
OPEN = {**DENIED, "defaultAction": "Allow"}
RULES = b'"trafficInspection":"Full","hostRules":[{"pattern":"*","action":"Deny"}]}'


def holds(subject, document, kind, otherwise):
    """A document that widens must not hold, and for this reason."""
    verdict, kinds = subject.compare("deny", document)
    if verdict == "identical":
        raise Works(otherwise)
    if kind not in kinds:
        raise Works(f"{verdict} because of {kinds}, not of {kind}")


def bypasses(subject):
    for field, value, kind in (("skipEgressProxy", True, "proxy_bypass"),
                               ("customerVnetConnectionName", "net", "network_override")):
        record = {"id": "s1", "state": "Running", "egressPolicy": DENIED, field: value}
        holds(subject, json.dumps(record).encode(), kind, f"{field} is not looked at")


class PolicyAlone(Sandproof):
    """Of a record only the policy is compared."""

    def compare(self, declared, document):
        same = json.loads(document)["egressPolicy"] == DENIED
        return ("identical" if same else "widened"), []


def twice(subject):
    for key, reason in ((b'"defaultAction"', "duplicate_key"),
                        (b'"default\\u0041ction"', "duplicate_key"),
                        (b'"DefaultAction"', "key_case")):
        keys = key + b':"Allow","defaultAction":"Deny",'
        text = b"{" + keys + RULES
        first = dict(reversed(json.loads(text, object_pairs_hook=list)))
        folded = {key.lower(): value for key, value in first.items()}["defaultaction"]
        holds(subject, text, reason,
              f"Deny for one reader, {folded} for another: {keys.decode()}")


class LastKeyWins(Sandproof):
    """A parser that keeps the last of two keys."""

    def compare(self, declared, document):
        policy = json.loads(document)
        same = all(policy.get(key) == value for key, value in DENIED.items())
        return ("identical" if same else "widened"), []


def copies(subject):
    verdict, kinds = subject.compare("deny", json.dumps({**DENIED, "http": DENIED}).encode())
    if verdict != "identical":
        raise Works(f"the copy that live services send is refused: {verdict}, {kinds}")
    holds(subject, json.dumps({**DENIED, "http": OPEN}).encode(), "default_action",
          "a copy that allows everything is not looked at")


class IgnoresTheCopy(LastKeyWins):
    """What is not known is not looked at."""


class RefusesTheCopy(Sandproof):
    """What is not known is refused."""

    def compare(self, declared, document):
        unknown = json.loads(document).keys() - DENIED.keys()
        return ("unknown", ["unmodelled_field"]) if unknown else ("identical", [])


def cut(subject):
    text = json.dumps(DENIED).encode()
    holds(subject, text + b'\0,"defaultAction":"Allow"}', "nul",
          "what stands behind a NUL is not looked at")
    holds(subject, b"\xef\xbb\xbf" + text, "byte_order_mark", "a BOM is passed over")


class StopsAtNul(Sandproof):
    """A reader that ends at a NUL, and passes over a BOM."""

    def compare(self, declared, document):
        text = document.removeprefix(b"\xef\xbb\xbf").partition(b"\0")[0]
        return ("identical" if json.loads(text) == DENIED else "widened"), []
