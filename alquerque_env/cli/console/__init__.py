"""What commands share in a console: progress, signals and capabilities."""
