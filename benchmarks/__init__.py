"""Side-by-side measurements against other libraries: ``python -m benchmarks NAME``."""
