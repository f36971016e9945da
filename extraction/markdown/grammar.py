"""The parser: markdown-it with the dialects that documentation is written in."""

from __future__ import annotations

from functools import cache

from markdown_it import MarkdownIt
from mdit_py_plugins.amsmath import amsmath_plugin
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.footnote import footnote_plugin

from extraction.markdown.containers import containers_plugin
from extraction.markdown.inline import inline_plugin
from extraction.markdown.jsx import jsx_plugin
from extraction.markdown.tables import tables_plugin
from extraction.markdown.tags import tags_plugin

# Where markdown-it would drop what is nested deeper, it shall fail instead.
_NO_SILENT_LIMIT = 100_000


@cache
def grammar(*, mdx: bool) -> MarkdownIt:
    """The parser for Markdown or MDX; it holds no state between documents."""
    parser = MarkdownIt("commonmark", {"maxNesting": _NO_SILENT_LIMIT}).enable(["table", "strikethrough"])
    parser.use(footnote_plugin, move_to_end=False).use(deflist_plugin)
    parser.use(dollarmath_plugin, allow_space=False, allow_digits=False, double_inline=True)
    parser.use(amsmath_plugin).use(tables_plugin).use(containers_plugin)
    parser.use(inline_plugin).use(jsx_plugin, mdx=mdx).use(tags_plugin)
    return parser
