"""The goals and what was measured, as a chart (SVG, drawn by gnuplot) and as a table (Markdown)."""

import re
import subprocess
import textwrap

ROW, LINE, MARGINS = 22, 14, 80  # pixels: a goal, a line of the title, what is below
# Readable on white and on black; what gnuplot draws black is the page's own text colour.
FAST, SLOW = "#2f81c7", "#c77d2f"
STYLE = ("<style>svg { color: #1f2328 } @media (prefers-color-scheme: dark) { svg { color: #e6edf3 } }"
         "</style>")


class NotDrawn(RuntimeError):
    """gnuplot did not make a chart."""


def ratios(answers):
    """The goals about ratios that were measured."""
    return [each for each in answers if each.goal.at_least and each.value is not None]


def said(text):
    """A text for gnuplot's double quotes, in which it would run what stands between backquotes."""
    return re.sub(r"[^\w .,:;()/=+*-]", "?", text.replace("@", "at"), flags=re.ASCII)


def about(each):
    return each.goal.name + (", the slowest" if "*" in each.goal.pattern else "")


def title(where):
    """Where it was measured, in lines that fit."""
    machine = f"{where['CPU']}, commit {where['commit']}, {where['compiler']}"
    return textwrap.wrap(machine, 110) + textwrap.wrap(where["flags"], 110, break_on_hyphens=False)


def script(where, answers):
    """gnuplot's script. A bar begins at 1, where both are as fast, and ends at the ratio."""
    rows = [f'{i} {each.value:.6g} "{said(f"{about(each)}   {each.value:.3g}")}"'
            for i, each in enumerate(reversed(ratios(answers)))]
    lines = title(where)
    heading = "\\n".join(map(said, lines))
    return "\n".join([
        f"set terminal svg size 860,{len(rows) * ROW + len(lines) * LINE + MARGINS}"
        ' font "sans-serif,11" noenhanced',
        "$ratios << END", *rows, "END",
        f'set title "{heading}" font "sans-serif,9" left offset screen -0.4,0',
        'set xlabel "times as fast as the other; logarithmic, 1 is as fast"',
        "set logscale x", f"set yrange [-0.7:{len(rows) - 0.3}]", "set ytics nomirror scale 0",
        "set xtics nomirror", "set grid xtics dashtype 3", "set border 1",
        "set arrow from 1, graph 0 to 1, graph 1 nohead",
        "plot $ratios using 2:1:(1):2:($1-0.32):($1+0.32):"
        f"($2 < 1 ? 0x{SLOW[1:]} : 0x{FAST[1:]}):ytic(3)"
        " with boxxyerror fillstyle solid noborder linecolor rgb variable notitle", ""])


def themed(svg):
    """What is black, in the colour that the reader's page has for text."""
    head = re.search(r"<svg[^>]*>", svg).end()
    body = re.sub(r"\bblack\b|rgb\( *0, *0, *0\)", "currentColor", svg[head:])
    return svg[:head] + STYLE + body.replace("<title>Gnuplot<", "<title>How fast the decisions are<")


def draw(where, answers):
    done = subprocess.run(["gnuplot", "-"], input=script(where, answers), capture_output=True,
                          text=True, check=False)
    if done.returncode != 0 or "</svg>" not in done.stdout:
        raise NotDrawn(f"gnuplot ended with status {done.returncode}: {done.stderr[-2000:]}")
    return themed(done.stdout)


HEAD = "| decision | against | measured | goal | aim |"


def promised(goal):
    """What a row of the table says of a goal, besides what was measured."""
    sign = "" if goal.at_least else "at most "
    return [f"`{goal.pattern}`", goal.over, f"{sign}{goal.must:g}", f"{sign}{goal.aim:g}"]


def table(answers):
    """A table for the README."""
    lines = [HEAD, "|---|---|---|---|---|"]
    for each in answers:
        name, over, must, aim = promised(each.goal)
        lines.append(f"| {name} | {over} | {each.value:.3g} | {must} | {aim} |")
    return "\n".join([*lines, ""])


def problems(page, goals):
    """How the table of a page, where it has one, differs from the goals, one after another."""
    if HEAD not in page:
        return []
    rows = page.split(HEAD)[1].split("\n\n")[0].splitlines()[2:]
    said = [[cell for i, cell in enumerate(row.strip("| ").split(" | ")) if i != 2] for row in rows]
    wanted = [promised(goal) for goal in goals]
    return ([f"no goal: {row}" for row in said if row not in wanted] +
            [f"missing: {row}" for row in wanted if row not in said])
