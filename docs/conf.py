"""How the site is built: `python -m sphinx -W --keep-going -b html docs build/site`.

Nothing is fetched while it is built or read. `PREDFEAT_INTERSPHINX=1` adds links to the pages of
NumPy, SciPy, scikit-learn and matplotlib, which needs the network.
"""

import os
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_extensions"))

import predfeat  # noqa: E402

project = "predfeat"
author = "The predfeat developers"
copyright = author
version = release = predfeat.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_parser",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
    # In docs/_extensions:
    "link_names",
    "mathml",
    "public_names",
    "repository_pages",
]
if os.environ.get("PREDFEAT_INTERSPHINX"):
    extensions.append("sphinx.ext.intersphinx")
    intersphinx_mapping = {
        "python": ("https://docs.python.org/3", None),
        "numpy": ("https://numpy.org/doc/stable", None),
        "scipy": ("https://docs.scipy.org/doc/scipy", None),
        "sklearn": ("https://scikit-learn.org/stable", None),
        "matplotlib": ("https://matplotlib.org/stable", None),
    }

root_doc = "index"
templates_path = ["_templates"]
exclude_patterns = [
    "_*",
    "gallery/*.ipynb",
    "gallery/*.py",
    "**sg_execution_times.rst",  # loads scripts from elsewhere
]
default_role = "py:obj"  # `GPFA` in a docstring leads to its page, and `n_lags` is code

# Pages
myst_enable_extensions = ["colon_fence", "attrs_block"]
myst_heading_anchors = 4  # links such as guide.md#gaps
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
html_math_renderer = "mathml"

# Reference
autosummary_generate = True
autosummary_generate_overwrite = True
autodoc_typehints = "none"  # the parameters' table says them in words
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
toc_object_entries_show_parents = "hide"  # the page is about one class

# Looks
html_theme = "pydata_sphinx_theme"
html_title = "predfeat"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_favicon = "_static/favicon.svg"
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_sidebars = {"index": [], "guide": [], "which_method": []}
html_context = {"default_mode": "auto"}  # the reader's system decides between light and dark
html_theme_options = {
    "logo": {"text": "predfeat"},
    "header_links_before_dropdown": 7,
    "navbar_align": "left",
    "navigation_with_keys": False,
    "show_toc_level": 2,
    "footer_start": ["copyright"],
    "footer_end": ["theme-version"],
    "back_to_top_button": False,
    "pygments_light_style": "tango",
    "pygments_dark_style": "monokai",
}

# Gallery. Every example is run; with -W, one that fails fails the build.
sphinx_gallery_conf = {
    "examples_dirs": "../examples/gallery",
    "gallery_dirs": "gallery",
    "within_subsection_order": "gallery_order.GalleryOrder",
    "capture_repr": (),  # what is to be seen is printed or drawn
    "show_memory": False,
    "doc_module": ("predfeat",),
    "inspect_global_variables": False,
    "default_thumb_file": None,
}
