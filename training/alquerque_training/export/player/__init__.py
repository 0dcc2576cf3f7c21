"""What an exported player is made of, next to the engine: all modules but `bundle` are carried in the exported file.

They use the standard library only and speak to the engine as everyone else does; `bundle` lays them together with the
sources that they need. The player of a checkpoint, `checkpoints.torch_bot`, chooses by the same modules.
"""
