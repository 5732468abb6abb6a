"""An optical reader behind the target `function`: it reads letters, and sees no structure."""

from __future__ import annotations

import base64
import os
import re
import subprocess

from befit.core.message import ImagePart


def picture_of(request):
    for message in request.messages:
        if not isinstance(message.content, str):
            for part in message.content:
                if isinstance(part, ImagePart):
                    return base64.b64decode(part.url.partition(",")[2])
    return b""


def read(png):
    """What Tesseract reads, line by line."""
    command = ["tesseract", "stdin", "stdout", "--psm", "11"]
    alone = {**os.environ, "OMP_THREAD_LIMIT": "1"}
    done = subprocess.run(
        command, input=png, capture_output=True, check=True, timeout=60, env=alone
    )
    return done.stdout.decode("utf-8", "replace")


def answer(request):
    """Serial numbers by their word, captions by their words, anything else as it was read."""
    text = read(picture_of(request))
    asked = next(m.text for m in request.messages if m.role == "user")
    caption = re.search(r'Does this caption fit the picture\? "(.+)" Answer', asked)
    if caption:
        names = re.findall(r"'(\w+)'|(?<!^)\b([A-Z]\w*\d*\w*)\b", caption[1])
        words = [a or b for a, b in names]
        return "yes" if all(re.search(rf"\b{w}\b", text) for w in words) else "no"
    if "serial number" in asked:
        found = re.search(r"Serial\s+(\S+)", text)
        return found[1] if found else "not found"
    return text
