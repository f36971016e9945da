"""AsciiDoc, as Asciidoctor reads it; nothing is included: each file is read by itself."""
