"""The compiled sweeps, and the classes that drive them."""
