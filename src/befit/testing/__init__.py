"""For tests and plug-in authors: a fake provider over real HTTP, and contract suites.

`provider` starts the fake provider (`python -m befit.testing` runs it alone),
`script` and `faults` say how it behaves; `targets`, `scorers` and `similarity`
hold one contract suite per protocol. This file defines nothing.
"""
