"""What was computed before, in Redis: how it is stored, and what happens when Redis does not answer."""
