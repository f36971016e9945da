"""Headings found by a language model, where the settings ask for that.

The package reads top to bottom: ``lines`` says what the model is shown, ``prompt`` puts it into words,
``answer`` checks every word that comes back against the lines, ``detect`` asks and falls back to the
rules, ``flat`` applies the result to formats without layout; PDF does so in
``extraction.pdf.structure.sections``.

What comes back can only pick lines and give them a level: a document that tries to instruct the model
can at worst spoil its own headings.
"""
