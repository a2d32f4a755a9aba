"""The gallery's order: the examples that most readers want first; others follow by their title."""

from sphinx_gallery.sorting import ExampleTitleSortKey

FIRST = (
    "plot_hidden_lorenz.py",
    "plot_predictable_noise.py",
    "plot_bouncing_ball.py",
    "plot_clock.py",
    "plot_weather.py",
    "plot_gait.py",
    "plot_stocks.py",
)


class GalleryOrder(ExampleTitleSortKey):
    """Sorts file names of examples."""

    def __call__(self, filename: str) -> tuple[int, str]:
        """Return what an example is sorted by."""
        place = FIRST.index(filename) if filename in FIRST else len(FIRST)
        return place, super().__call__(filename)
