"""Markdown and its dialects: GitHub, MDX, YFM, Gramax, MkDocs, Docusaurus, VitePress, Hugo, Jekyll, MyST."""
