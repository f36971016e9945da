"""Ways to cut a document; all share units, structure rules, assembly and invariants."""
