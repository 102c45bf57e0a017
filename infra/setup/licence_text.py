"""Which licence a text is, by a sentence that only it has; several licences in one text are all named.

Data flow: a module's LICENSE file -> names of SPDX's list; none where no sentence is known
Run: make lock-go
"""

import re
from pathlib import Path

SENTENCES = {
    "Apache-2.0": "apache license,? version 2.0",
    "MIT": "permission is hereby granted, free of charge, to any person obtaining a copy",
    "ISC": "permission to use, copy, modify, and/?(or)? distribute this software for any purpose with or without fee",
    "MPL-2.0": "mozilla public license,? (version|v.) 2.0",
    "AGPL-3.0": "gnu affero general public license version 3",
    "LGPL-3.0": "gnu lesser general public license version 3",
    "Unlicense": "this is free and unencumbered software released into the public domain",
    "CC0-1.0": "cc0 1.0 universal",
}
BSD = "redistribution and use in source and binary forms, with or without modification, are permitted"
NAMES_UNUSED = (
    "(neither the names? of|the names? of .{1,80} may not be used|names? of .{1,120} may not be used to endorse)"
)
FILES = ("LICEN[CS]E*", "COPYING*", "licen[cs]e*", "Licen[cs]e*", "UNLICENSE*")


def named(text: str) -> set[str]:
    """The licences that a text grants."""
    plain = re.sub(r"[^a-z0-9,./]+", " ", text.lower())
    found = {name for name, sentence in SENTENCES.items() if re.search(sentence.replace("-", " "), plain)}
    # The Affero licence speaks of the other in its last paragraph.
    found -= {"LGPL-3.0"} if "AGPL-3.0" in found else set()
    if BSD in plain:
        found.add("BSD-3-Clause" if re.search(NAMES_UNUSED, plain) else "BSD-2-Clause")
    return found


def of_folder(folder: Path) -> set[str]:
    """The licences of the texts that lie at the top of a folder."""
    files = {file for pattern in FILES for file in folder.glob(pattern) if file.is_file()}
    return {name for file in files for name in named(file.read_text(errors="replace"))}
