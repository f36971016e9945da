"""What the pages of the user interface show, as data: nothing here knows of Airflow, HTTP or HTML."""
