"""How strong a learner is and how learning goes: evaluation, gauntlets, metrics."""
