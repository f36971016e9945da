"""``python -m monitoring.dashboards``: write the JSON of the dashboards."""

from monitoring.dashboards.writing import write

if __name__ == "__main__":
    write()
