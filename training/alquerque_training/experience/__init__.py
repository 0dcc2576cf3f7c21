"""What learners learn from: games, replay buffer, augmentation and opponents."""
