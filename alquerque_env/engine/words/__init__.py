"""The kinds of words that the rules run on: integers, plain or compiled, and PyTorch's tensors."""
