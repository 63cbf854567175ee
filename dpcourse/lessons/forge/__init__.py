"""Forge a mechanism: choose a noise and a claim, and see whether the auditor catches it. Lessons 02 and 11 show it."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__, submod_attrs={"numbers": ["Audits", "forged", "true_epsilon"], "explorer": ["explore_forge"]}
)
