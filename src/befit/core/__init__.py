"""The ground of befit: frozen data and protocols, without any I/O.

Every other package speaks in these words. Import each from its own module
(`from befit.core.sample import Sample`); this file defines nothing.
"""
