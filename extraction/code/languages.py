"""Programming languages by file name."""

from __future__ import annotations

from pathlib import PurePosixPath

_BY_NAME = {
    "dockerfile": "dockerfile",
    "makefile": "make",
    "gnumakefile": "make",
    "cmakelists.txt": "cmake",
    "jenkinsfile": "groovy",
    "vagrantfile": "ruby",
    "rakefile": "ruby",
    "gemfile": "ruby",
}
_EXTENSIONS = """
    python py pyi pyw
    c c h
    cpp cc cpp cxx hpp hh hxx inl
    csharp cs
    java java
    kotlin kt kts
    scala scala sc
    groovy groovy gradle
    go go
    rust rs
    swift swift
    objc m mm
    javascript js jsx mjs cjs
    typescript ts mts cts
    tsx tsx
    vue vue
    svelte svelte
    php php
    ruby rb
    perl pl pm
    lua lua
    r r
    julia jl
    haskell hs
    ocaml ml
    ocaml_interface mli
    fsharp fs fsx
    elixir ex exs
    erlang erl hrl
    clojure clj cljs cljc
    commonlisp lisp cl
    elisp el
    scheme scm
    racket rkt
    dart dart
    zig zig
    nim nim
    d d
    pascal pas pp dpr
    fortran f f90 f95 for
    ada adb ads
    cobol cob cbl
    verilog v sv
    vhdl vhd vhdl
    asm asm s
    bash sh bash zsh ksh
    fish fish
    powershell ps1 psm1
    batch bat cmd
    sql sql
    bsl bsl os
    solidity sol
    proto proto
    graphql graphql gql
    thrift thrift
    hcl hcl
    terraform tf tfvars
    nix nix
    make mk
    cmake cmake
    css css
    scss scss
    less less
    latex tex sty
    xml xml xsd xsl xslt wsdl fb2 dita ditamap docbook dbk tei
    properties properties env
    tcl tcl
    matlab matlab
    gdscript gd
    jinja j2 jinja
"""
_BY_EXTENSION = {
    extension: language
    for language, *extensions in map(str.split, _EXTENSIONS.strip().splitlines())
    for extension in extensions
}


def language_of(path: str) -> str | None:
    """The language of a source file, as tree-sitter names it, or ``None`` where the name tells none.

    Args:
        path: Path or file name.
    """
    name = PurePosixPath(path).name.lower()
    return _BY_NAME.get(name) or _BY_EXTENSION.get(PurePosixPath(name).suffix.lstrip("."))
