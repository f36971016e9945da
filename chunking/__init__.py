"""Documents in, chunks out: cut where the meaning turns."""
