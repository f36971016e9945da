"""Rich Text Format.

The libraries for it give plain text only (striprtf, compressed-rtf): no styles, no cells, no notes. So the
few parts of the format that carry structure are read here, in one pass over its control words.
"""
