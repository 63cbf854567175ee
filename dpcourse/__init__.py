"""dpcourse: the package behind the course. Every mechanism carries its claim; every claim is composed, drawn and audited."""

__version__ = "0.1.0"
