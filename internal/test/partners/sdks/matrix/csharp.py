"""Parses every C# file below the present folder: no compiler of it is to be had as a package."""

import sys
from pathlib import Path

import tree_sitter_c_sharp
from tree_sitter import Language, Parser

parser = Parser(Language(tree_sitter_c_sharp.language()))
files = sorted(Path().rglob("*.cs"))
assert len(files) > 40, files
wrong = [str(file) for file in files if parser.parse(file.read_bytes()).root_node.has_error]
# The enum that clients got of a boolean with const: false, which did not compile.
wrong += [str(file) for file in files if "CapturedEnum" in file.read_text()]
sys.exit("\n".join(wrong) or None)
