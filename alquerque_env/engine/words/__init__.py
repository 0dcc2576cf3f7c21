"""The kinds of words that kernels run on: integers, SIMD vectors and NumPy arrays."""
