"""Structure rules: which cuts the layout of a document asks for, and which it forbids.

Where rules pull apart, the order is: token limit > table row > heading with the first unit after it >
clause, table and code block whole > what belongs together (lead-in and list, caption and table, note,
formula and its explanation) > ``min_tokens`` > score. A cut carries the severity of the strongest rule that
it breaks; a rule that asks for the whole of something holds only where that fits into one chunk, for
otherwise cutting it is no fault.
"""

from chunking.rules.severity import CutRules, Severity
from chunking.rules.structure import free_rules, structure_rules

__all__ = ["CutRules", "Severity", "free_rules", "structure_rules"]
