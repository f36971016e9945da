"""A home for Airflow's own library in the process of the tests; importing this is enough.

Airflow writes its settings there as soon as it is imported, and would choose the user's home.
"""

from __future__ import annotations

import atexit
import os
import tempfile

if "AIRFLOW_HOME" not in os.environ:
    _home = tempfile.TemporaryDirectory(prefix="rubrica-airflow-")
    atexit.register(_home.cleanup)
    os.environ["AIRFLOW_HOME"] = _home.name
