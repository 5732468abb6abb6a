"""The colours of the report, recomputed from its style sheet: contrast and colour vision."""

from __future__ import annotations

import re
from importlib import resources
from itertools import combinations

import pytest

LIGHT, DARK = 0, 1
MODELS = [f"c{i}" for i in range(1, 7)]

# Machado, Oliveira and Fernandes (2009), severity 1.0, on linear RGB.
VISION = {
    "normal": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protan": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deutan": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritan": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}


def variables() -> dict[str, tuple[str, str]]:
    css = resources.files("befit.report").joinpath("templates/palette.css").read_text()
    return {
        name: (light, dark)
        for name, light, dark in re.findall(
            r"--(\w+): light-dark\((#[0-9A-F]{6}), (#[0-9A-F]{6})\)", css
        )
    }


CSS = variables()


def linear(colour: str) -> list[float]:
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    return [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]


def luminance(colour: str) -> float:
    red, green, blue = linear(colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(a: str, b: str) -> float:
    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def lab(rgb: list[float]) -> tuple[float, float, float]:
    red, green, blue = (min(max(c, 0.0), 1.0) for c in rgb)
    x = (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.95047
    y = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    z = (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.08883
    fx, fy, fz = (v ** (1 / 3) if v > 0.008856 else 7.787 * v + 16 / 116 for v in (x, y, z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


def seen(colour: str, vision: str) -> tuple[float, float, float]:
    rgb = linear(colour)
    return lab([sum(k * c for k, c in zip(row, rgb, strict=True)) for row in VISION[vision]])


def distance(a: str, b: str, vision: str) -> float:
    """CIE76."""
    pairs = zip(seen(a, vision), seen(b, vision), strict=True)
    return sum((p - q) ** 2 for p, q in pairs) ** 0.5


def test_contrast_of_black_on_white_is_21():
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21.0)


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_model_colours_stand_out_from_the_background(theme):
    for name in [*MODELS, "c0"]:
        assert contrast(CSS[name][theme], CSS["bg"][theme]) >= 3.1, name


@pytest.mark.parametrize("theme", [LIGHT, DARK])
@pytest.mark.parametrize("vision", VISION)
def test_model_colours_can_be_told_apart_by_everybody(theme, vision):
    nearest = min(
        (distance(CSS[a][theme], CSS[b][theme], vision), a, b) for a, b in combinations(MODELS, 2)
    )
    assert nearest[0] >= 23, nearest


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_text_on_heat_steps_can_be_read(theme):
    for step in range(1, 8):
        assert contrast(CSS[f"h{step}"][theme], CSS[f"t{step}"][theme]) >= 4.5, step


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_heat_steps_change_lightness_in_one_direction(theme):
    steps = [luminance(CSS[f"h{i}"][theme]) for i in range(1, 8)]
    assert steps == sorted(steps, reverse=theme == LIGHT)
    assert len(set(steps)) == 7


@pytest.mark.parametrize("theme", [LIGHT, DARK])
@pytest.mark.parametrize("ground", ["bg", "panel"])
def test_words_can_be_read(theme, ground):
    for name in ("text", "muted", "accent", "warn", "bad"):
        assert contrast(CSS[name][theme], CSS[ground][theme]) >= 4.5, name


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_text_on_share_bars_and_marked_spans_can_be_read(theme):
    for part in (1, 2, 3):
        assert contrast(CSS[f"p{part}"][theme], CSS[f"q{part}"][theme]) >= 4.5, part
    for ground in ("hit", "miss"):
        assert contrast(CSS["text"][theme], CSS[ground][theme]) >= 4.5


@pytest.mark.parametrize("theme", [LIGHT, DARK])
@pytest.mark.parametrize("vision", VISION)
def test_better_worse_and_open_differ_for_everybody(theme, vision):
    for a, b in combinations(("up", "down", "open"), 2):
        assert distance(CSS[a][theme], CSS[b][theme], vision) >= 20, (a, b)
    for a, b in combinations(("p1", "p2", "p3"), 2):
        assert distance(CSS[a][theme], CSS[b][theme], vision) >= 20, (a, b)
