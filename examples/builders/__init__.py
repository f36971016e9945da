"""Writers of the example documents: texts in, PDF, DOCX and XLSX out, the same bytes each time."""
