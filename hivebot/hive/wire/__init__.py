"""How are the records of the folds written as JSON, and read back?"""

from __future__ import annotations
