"""Spreadsheets: XLSX, XLS and ODS.

Each format's reader makes ``Sheet``s out of a file; ``regions`` finds the tables on a sheet, ``writer``
writes them out with the texts above and below.
"""
