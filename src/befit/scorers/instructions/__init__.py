"""The instructions of the `constraints` scorer, one family of kinds per file.

`base.py` says what an instruction is, `text.py` cuts texts into words, sentences
and paragraphs, `kinds.py` lists every kind. This file defines nothing.
"""
