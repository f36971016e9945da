"""Follows the groups and destinations of a Rich Text file (RTF 1.9.1)."""

from __future__ import annotations

from extraction.border import too_deep
from extraction.flow.blocks import Block
from extraction.rtf.commands import COMMANDS
from extraction.rtf.context import Context
from extraction.rtf.flow import Flow
from extraction.rtf.state import State, Target
from extraction.rtf.tokens import Token
from extraction.text import word_set

_DEEPEST = 2000
_SKIPPED = word_set(
    "aftncn aftnsep aftnsepc annotation atnauthor atndate atnicn atnid atnref atrfend atrfstart bkmkend"
    " bkmkstart colortbl datafield datastore docvar falt ffname fldinst filetbl footer footerf footerl"
    " footerr formfield ftncn ftnsep ftnsepc generator header headerf headerl headerr latentstyles"
    " listoverridetable listtable mmathPict mmathPr nonesttables nonshppict objclass objdata objname panose"
    " pgptbl picprop pict pn pnseclvl private1 revtbl rsidtbl rxe shprslt sp tc template themedata userprops"
    " xe xmlnstbl"
)
_TARGETS = {
    "fonttbl": Target.FONTS,
    "stylesheet": Target.STYLES,
    "title": Target.TITLE,
    "listtext": Target.LABEL,
    "pntext": Target.LABEL,
    "upr": Target.FIRST_SKIPPED,
    **dict.fromkeys(("info", "shp", "shpinst", "shpgrp", "object", "do"), Target.NOWHERE),
}
# Destinations whose contents are text of the document again, the latter apart from what is around them.
_BODY = word_set("ud result fldrslt nesttableprops moMath moMathPara mmath")
_SILENT = frozenset({Target.SKIPPED, Target.NOWHERE, Target.FIRST_SKIPPED})
_NESTED = "nesttableprops"
_NOTE = "footnote"
_ASIDE = word_set("footnote shptxt dptxbxtext")
_CHARACTERS = {
    "tab": "\t", "line": "\n", "softline": "\n", "page": "\n", "column": "\n", "emdash": "—", "endash": "–",
    "bullet": "•", "lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”", "~": "\u00a0",
    "emspace": " ", "enspace": " ", "qmspace": " ", "-": "\u00ad", "_": "-", "\\": "\\", "{": "{", "}": "}",
    "\t": "\t",
}  # fmt: skip


class Parser:
    """Takes the tokens of a file, in order."""

    def __init__(self) -> None:
        self.done = False
        self._context = Context()
        self._groups: list[tuple[State, int]] = []  # what to go back to, and how many texts are open
        self._asides: list[bool] = []  # whether each open text inside the body is a note
        self._bytes = bytearray()
        self._to_skip = 0  # characters that only stand for a Unicode one before them
        self._starred = False
        self._fresh = False  # whether a group has just begun

    @property
    def title(self) -> str:
        """The title that the file states."""
        return self._context.title

    def take(self, token: Token) -> None:
        """Take one token."""
        if token.text:
            self._text(token.text)
            return
        self._flush()
        if token.brace == "{":
            self._open()
        elif token.brace:
            self._close()
        else:
            self._word(token.word, token.number)

    def finish(self) -> list[Block]:
        """All blocks; groups that the file leaves open are closed."""
        self._flush()
        while len(self._context.flows) > 1:
            self._end_aside()
        return self._context.flows[0].finished(self._context.state)

    def _open(self) -> None:
        if len(self._groups) >= _DEEPEST:
            raise too_deep("RTF file")
        context = self._context
        self._groups.append((context.state, len(context.flows)))
        context.state = context.state.copied()
        if context.state.target is Target.FIRST_SKIPPED:  # what follows it says the same in Unicode
            self._groups[-1][0].target = Target.NOWHERE
            context.state.target = Target.SKIPPED
        self._fresh, self._starred, self._to_skip = True, False, 0

    def _close(self) -> None:
        self._fresh, self._starred, self._to_skip = False, False, 0
        if self._groups:
            state, flows = self._groups.pop()
            while len(self._context.flows) > flows:
                self._end_aside()
            self._context.state = state
        self.done = not self._groups

    def _end_aside(self) -> None:
        """Put a note or text box behind the paragraph that it belongs to."""
        flow, is_note = self._context.flows.pop(), self._asides.pop()
        state = self._context.state.copied()
        state.table = 0
        self._context.flows[-1].after += flow.as_note(state) if is_note else flow.finished(state)

    def _word(self, word: str, number: int | None) -> None:
        fresh, starred = self._fresh, self._starred
        self._fresh = self._starred = False
        if word == "*":
            self._fresh, self._starred = fresh, True
        elif self._context.state.target is Target.SKIPPED:
            return
        elif word in _CHARACTERS:
            self._character(_CHARACTERS[word])
        elif word == "u":
            self._context.write_code(number or 0)
            self._to_skip = self._context.state.skip
        elif not (fresh and self._destination(word, starred=starred)) and word in COMMANDS:
            COMMANDS[word](self._context, number)

    def _destination(self, word: str, *, starred: bool) -> bool:
        """Begin a destination, if the word is one; unknown ones with a star are to be skipped."""
        state = self._context.state
        if word in _SKIPPED:
            state.target = Target.SKIPPED
        elif word in _TARGETS:
            state.target = _TARGETS[word]
        elif word in _BODY:
            state.target = Target.BODY
            state.nested = word == _NESTED
        elif word in _ASIDE:
            state.target = Target.BODY
            state.plain_paragraph()
            self._context.flows.append(Flow(self._context.styles))
            self._asides.append(word == _NOTE)
        elif starred and word not in COMMANDS:
            state.target = Target.SKIPPED
        else:
            return False
        return True

    def _text(self, text: bytes) -> None:
        self._fresh = self._starred = False
        if self._context.state.target in _SILENT:
            return
        skipped = min(self._to_skip, len(text))
        self._to_skip -= skipped
        self._bytes += text[skipped:]

    def _character(self, text: str) -> None:
        if self._to_skip:
            self._to_skip -= 1
        else:
            self._context.write(text)

    def _flush(self) -> None:
        """Decode the bytes that have come together: a character may take several."""
        if self._bytes:
            self._context.write_bytes(bytes(self._bytes))
            self._bytes.clear()
