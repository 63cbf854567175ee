"""The canvas of a picture: Agg, with every text rendered once.

Much of the time of drawing an explorer's picture goes into hinting and rendering the letters of its texts, few of which
change when a slider moves.
"""

from __future__ import annotations

import io
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg, RendererAgg
from matplotlib.image import imsave

_KEPT = 300  # texts; a picture has some thirty


class Canvas(FigureCanvasAgg):
    """An Agg canvas whose renderer remembers texts."""

    def get_renderer(self) -> _Renderer:
        made = super().get_renderer()
        if not isinstance(made, _Renderer):
            made = self.renderer = _Renderer(made.width, made.height, made.dpi)
        return made

    def png(self) -> bytes:
        """What is painted, as PNG bytes that hold no date and no version."""
        buffer = io.BytesIO()
        quickly, bare = {"compress_level": 1}, {"Software": None}
        imsave(buffer, self.buffer_rgba(), dpi=self.figure.dpi, metadata=bare, pil_kwargs=quickly)  # type: ignore[arg-type]
        return buffer.getvalue()


class _Renderer(RendererAgg):
    """Keeps the letters of a text, so that the same text at the same place is only blended again, in any colour."""

    def __init__(self, width: float, height: float, dpi: float) -> None:
        super().__init__(width, height, dpi)
        self._texts: dict[Any, list[tuple[Any, ...]]] = {}

    def draw_text(
        self, gc: Any, x: float, y: float, s: str, prop: Any, angle: float, ismath: Any = False, mtext: Any = None
    ) -> None:
        if ismath:  # also holds lines
            super().draw_text(gc, x, y, s, prop, angle, ismath, mtext)
            return
        key = (x, y, s, prop.copy(), angle, gc.get_antialiased())
        letters = self._texts.pop(key, None)
        if letters is None:
            agg = self._renderer
            self._renderer = recorder = _Recorder(agg)
            try:
                super().draw_text(gc, x, y, s, prop, angle, ismath, mtext)
            finally:
                self._renderer = agg
            letters = recorder.letters
        else:
            for letter in letters:
                self._renderer.draw_text_image(*letter, gc)
        if letters:
            self._texts[key] = letters  # at the end, so that the first is the one not used for longest
            if len(self._texts) > _KEPT:
                del self._texts[next(iter(self._texts))]


class _Recorder:
    """Passes all on to Agg's renderer and keeps the images of letters that go by."""

    def __init__(self, agg: Any) -> None:
        self._agg = agg
        self.letters: list[tuple[Any, ...]] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._agg, name)

    def draw_text_image(self, image: Any, x: float, y: float, angle: float, gc: Any) -> None:
        kept = np.array(image)  # a copy: matplotlib may use the memory again
        self.letters.append((kept, x, y, angle))
        self._agg.draw_text_image(kept, x, y, angle, gc)
