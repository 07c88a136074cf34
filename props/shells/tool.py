"""The tool under test: what it prints is what is sent, and what it reads is what is believed."""
import json
import subprocess

TIMEOUT = 60  # seconds


class Tool:
    def __init__(self, path):
        self.path = path

    def run(self, *arguments, stdin=b""):
        return subprocess.run([self.path, *arguments], input=stdin, capture_output=True,
                              check=False, timeout=TIMEOUT)

    def wrap(self, scheme, milliseconds, call_id, argv, variables=None):
        """The text of `sandproof wrap`, as bytes."""
        arguments = ["wrap", "--deadline", f"{milliseconds}ms", "--scheme", scheme]
        if scheme == "sealed":
            arguments += ["--call-id", call_id]
        for name, value in (variables or {}).items():
            arguments += ["--env", f"{name}={value}"]
        done = self.run(*arguments, "--", *argv)
        if done.returncode != 0 or not done.stdout.endswith(b"\n"):
            raise RuntimeError(f"sandproof wrap: status {done.returncode}: {done.stderr[-300:]!r}")
        return done.stdout[:-1]

    def report(self, scheme, exit_code, stderr, call_id):
        """The answer of `sandproof report`; preamble and stderr as bytes."""
        arguments = ["report", "--scheme", scheme, "--exit-code", str(exit_code)]
        if scheme == "sealed":
            arguments += ["--call-id", call_id]
        done = self.run(*arguments, stdin=stderr)
        try:
            answer = json.loads(done.stdout)
        except ValueError:
            raise RuntimeError(f"sandproof report: status {done.returncode}: "
                               f"{done.stderr[-300:]!r}") from None
        for name in ("preamble", "stderr"):
            if f"{name}_hex" in answer:
                answer[name] = bytes.fromhex(answer[f"{name}_hex"])
            else:
                answer[name] = answer.get(name, "").encode()
        return answer

    def check(self, kind, value):
        """The answer of `sandproof check --json KIND VALUE`."""
        return json.loads(self.run("check", "--json", kind, "--", value).stdout)
