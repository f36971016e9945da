"""Text that breaks out of pages that trust it."""

from __future__ import annotations

SCRIPT = "<script>document.title = 'broken'</script>"
HANDLER = '"><img src=x onerror="document.title = \'broken\'">'
END_OF_DATA = "</script><script>document.title = 'broken'</script><!--"
TEMPLATE = "{{ 7 * 7 }} {% raw %} ${7 * 7}"
ENTITY = "&lt;b&gt; &#x3c; \u2028 \u2029 ' ` \\u003c"
REORDERED = "сумма \u202e000 1\u202c \u2066x\u2069"
SURROGATE = "half \ud835 sign"
STYLE = "</style><style>* { display: none }</style>"

EVERY = (SCRIPT, HANDLER, END_OF_DATA, TEMPLATE, ENTITY, REORDERED, STYLE)
