"""Slides of PPTX."""
