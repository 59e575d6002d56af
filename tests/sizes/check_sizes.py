#!/usr/bin/env python3
"""Functions of src/, cli/ and python/ fit a screen, and classes and files hold one idea each."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]

FUNCTION, CLASS, SOURCE, HEADER = 60, 300, 500, 210  # lines at the most

# What holds no code: comments, texts and raw texts, letters (not the marks in 1'000).
SILENT = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<!\w)\'(?:\\.|[^\'\\\n])+\'',
                    re.DOTALL)
CONTROL = re.compile(r"\s*(?:\}\s*)?(?:else\b|if\b|for\b|while\b|switch\b|do\b|try\b|catch\b|case\b|default\b|return\b)")
TYPE = re.compile(r"\b(class|struct|union)\s+(?:\w+\s+)*?(\w+)")


def without_silent(text):
    """The same lines with blanks for what holds no code."""
    text = SILENT.sub(lambda m: "".join(c if c == "\n" else " " for c in m.group()), text)
    return re.sub(r"^[ \t]*#(?:[^\n\\]|\\.)*", lambda m: "\n" * m.group().count("\n"), text, flags=re.M | re.S)


def kind_of(head):
    """What a brace opens, by the text since the last brace or semicolon: (kind, name)."""
    head = re.sub(r"\[\[.*?\]\]", " ", head).strip()
    head = re.sub(r"\btemplate\s*<[^{}]*?>\s*(?=[\w:\[])", "", head)
    head = re.sub(r"\b(public|private|protected)\s*:", "", head).strip()
    if re.match(r"(inline\s+)?namespace\b|extern\s+$|enum\b", head):
        return "other", ""
    if CONTROL.match(head) or head.endswith("="):
        return "other", ""
    named = TYPE.match(head)
    if named and "(" not in head:
        return "class", named.group(2)
    lambda_ = re.search(r"\[[^\[\]]*\]\s*(\([^{}]*\))?\s*(mutable|noexcept|->[^{}]*|\s)*$", head)
    function = re.search(r"([~\w:]+|operator\s*\S+)\s*\(", head)
    if lambda_:
        return "function", "a lambda"
    if function and re.search(r"\)[^()]*$", head):
        return "function", function.group(1)
    return "other", ""


def bodies(text):
    """Every function and class of a text: (kind, name, first line, lines)."""
    text = without_silent(text)
    opened, since, line, first = [], "", 1, 1
    for c in text:
        if c == "{":
            kind, name = kind_of(since)
            opened.append((kind, name, first if since.strip() else line))
            since = ""
        elif c == "}":
            if opened:
                kind, name, begin = opened.pop()
                if kind != "other":
                    yield kind, name, begin, line - begin + 1
            since = ""
        elif c == ";" and since.count("(") <= since.count(")"):
            since = ""
        else:
            if not since.strip() and not c.isspace():
                since, first = "", line
            since += c
        if c == "\n":
            line += 1


def mistakes_of(path):
    text = path.read_text()
    relative = path.relative_to(ROOT)
    lines = text.count("\n")
    most = HEADER if path.suffix == ".h" else SOURCE
    if lines > most:
        yield f"{relative}: {lines} lines, {most} at the most: does it hold two ideas?"
    for kind, name, begin, length in bodies(text):
        limit = FUNCTION if kind == "function" else CLASS
        if length > limit:
            yield f"{relative}:{begin}: {name} has {length} lines, {limit} at the most"


def main():
    files = [p for part in ("src/knead", "cli", "python") for p in sorted((ROOT / part).rglob("*"))
             if p.suffix in (".h", ".cpp", ".cu")]
    found = sum(1 for p in files for _ in bodies(p.read_text()))
    mistakes = [m for p in files for m in mistakes_of(p)]
    for m in mistakes:
        print(m)
    if found < 1000:
        mistakes.append(f"only {found} functions and classes found: is this script right?")
        print(mistakes[-1])
    print(f"{len(files)} files, {found} functions and classes: {len(mistakes)} mistakes")
    return bool(mistakes)


if __name__ == "__main__":
    sys.exit(main())
