"""Tables: found by rules, by the picture of a scan, or by alignment, and read cell by cell."""
