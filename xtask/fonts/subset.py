#!/usr/bin/env python3
"""Makes public/fonts/ from the two typefaces' npm packages. Run by hand when a typeface changes, never by the build.

    npm install --prefix /tmp/fonts @fontsource-variable/source-serif-4@5.3.1 @fontsource-variable/inter@5.3.0
    pip install fonttools brotli
    python3 xtask/fonts/subset.py /tmp/fonts/node_modules/@fontsource-variable

The weight axis is cut to 400-700 and the characters to Latin-1 with the punctuation that prose needs, which takes the
three files from 151 to 97 KB: roman and italic of the text face and the interface face all fit the 120 KB that a first
visit may spend on fonts. `tnum` (tabular figures) stays: numbers under a slider must not jump.

The licence of Source Serif reserves the name "Source" to the original, so the modified text face is "Ringside Serif".
"""
import io
import sys
from pathlib import Path

from fontTools.subset import Options, Subsetter, parse_unicodes
from fontTools.ttLib import TTFont
from fontTools.varLib.instancer import instantiateVariableFont

UNICODES = (
    "20-7E,A0-FF,131,152,153,300-304,308,2002-200B,2010-2027,202F,2032,2033,2039,203A,2044,20AC,2122,2191,2193,2212"
)
FEATURES = ["kern", "liga", "tnum", "pnum", "ccmp", "mark", "mkmk", "locl", "frac", "numr", "dnom"]
FACES = [
    ("source-serif-4", "normal", "Ringside Serif"),
    ("source-serif-4", "italic", "Ringside Serif"),
    ("inter", "normal", None),
]


def rename(font: TTFont, old: str, new: str) -> None:
    """Replaces the family name in every name record but the copyright and the licence."""
    for record in font["name"].names:
        if record.nameID in (0, 13, 14):
            continue
        text = record.toUnicode().replace(old, new).replace(old.replace(" ", ""), new.replace(" ", ""))
        record.string = text


def main() -> None:
    packages = Path(sys.argv[1])
    out = Path(__file__).resolve().parents[2] / "public" / "fonts"
    out.mkdir(parents=True, exist_ok=True)
    for package, style, name in FACES:
        stem = f"{package}-latin-wght-{style}.woff2"
        font = TTFont(packages / package / "files" / stem, recalcTimestamp=False)
        font = instantiateVariableFont(font, {"wght": (400, 700)})
        plain = io.BytesIO()
        font.flavor = None
        font.save(plain)  # Glyphs without variations are only written out, and subset, after a round trip.
        font = TTFont(plain, recalcTimestamp=False)
        options = Options()
        options.layout_features = FEATURES
        options.hinting = False
        options.flavor = "woff2"
        options.name_IDs = ["*"]
        subsetter = Subsetter(options)
        subsetter.populate(unicodes=parse_unicodes(UNICODES))
        subsetter.subset(font)
        if name:
            rename(font, "Source Serif 4", name)
        font.flavor = "woff2"
        font.save(out / stem)
        print(f"{(out / stem).stat().st_size:7} {stem}")


main()
