"""What the triggerer runs."""
