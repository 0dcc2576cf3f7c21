"""What the terminal shows and what interrupts a command: progress bar, signals, capabilities of the terminal."""
