"""Take the pictures of README from the real thing: the web site, driven in a browser.

    python tools/make_pictures.py        # needs Chromium or Chrome; builds the site first

A lesson, an explorer, and one that moves: the auditor catching a mechanism as its runs go from 100 to 100,000.
"""

from __future__ import annotations

import io
import shutil
import sys

import make_site
from PIL import Image
from playwright.sync_api import Page, sync_playwright

PICTURES = make_site.ROOT / ".github" / "pictures"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]


def save(picture: Image.Image, name: str) -> None:
    """As a PNG of 256 colours, which a page of text and lines does not miss."""
    picture.convert("RGB").quantize(256, dither=Image.Dither.NONE).save(PICTURES / name, optimize=True)
    print(f"wrote {name}, {(PICTURES / name).stat().st_size / 1000:.0f} kB")


def shot(page: Page, place: str | None = None) -> Image.Image:
    data = page.locator(place).first.screenshot() if place else page.screenshot()
    return Image.open(io.BytesIO(data))


def opened(page: Page, name: str, place: str) -> None:
    """A page of the site, scrolled to a place."""
    page.goto((make_site.TARGET / name).as_uri())
    page.locator(place).first.scroll_into_view_if_needed()
    page.wait_for_timeout(1500)  # for formulas and fonts


def the_auditor(page: Page) -> None:
    """One frame for each number of runs, the last for longer."""
    opened(page, "index.html", ".dpx")
    runs = page.locator(".dpx input[type=range]").last
    runs.focus()
    page.keyboard.press("Home")
    frames = [shot(page, ".dpx")]
    for _ in range(int(runs.get_attribute("max") or 0)):
        page.keyboard.press("ArrowRight")
        frames.append(shot(page, ".dpx"))
    first, *rest = [frame.convert("RGB").quantize(128, dither=Image.Dither.NONE) for frame in frames]
    target = PICTURES / "auditor.gif"
    first.save(target, save_all=True, append_images=rest, duration=[900] * len(rest) + [3000], loop=0, optimize=True)
    print(f"wrote {target.name}, {target.stat().st_size / 1000:.0f} kB, {len(frames)} frames")


def main() -> int:
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        sys.exit("No Chromium or Chrome found.")
    if make_site.main():
        return 1
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=FLAGS)
        page = browser.new_context(
            offline=True, viewport={"width": 1280, "height": 800}, device_scale_factor=1.5, color_scheme="light"
        ).new_page()
        opened(page, "notebooks/02_the_definition.html", "#two-hills")
        page.locator("#two-hills").first.evaluate("place => { place.scrollIntoView(); window.scrollBy(0, -90); }")
        page.wait_for_timeout(500)
        save(shot(page), "lesson.png")
        opened(page, "notebooks/02_the_definition.html", ".dpx")
        save(shot(page, ".dpx"), "explorer.png")
        the_auditor(page)
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
