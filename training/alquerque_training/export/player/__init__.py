"""The modules of an exported player besides the engine. `alquerque_env.engine.bundle` puts them into the exported file.

They use the standard library only. `checkpoints.torch_bot` chooses its steps by the same modules.
"""
