"""Is a filled schema one that may be committed, and what becomes of one that is not?

Source: turns.md 3 (the table of faults and repairs).
"""

from hivebot.adapters.llm.validate.ladder import Mended, first_fault, mend
from hivebot.adapters.llm.validate.limits import Limits

__all__ = ["Limits", "Mended", "first_fault", "mend"]
