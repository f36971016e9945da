"""HTML pages and fragments.

``tree`` parses, ``styles`` and ``visibility`` tell what the reader of the page sees, ``blocks`` reads it
in order, ``headings`` finds the headings that are only set as such, ``metadata`` what the page states
about itself.
"""

from extraction.html.reader import append_html, extract_html, page_blocks, read_page, write_blocks

__all__ = ["append_html", "extract_html", "page_blocks", "read_page", "write_blocks"]
