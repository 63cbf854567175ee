"""Sphinx settings of the course's web site; `tools/make_site.py` writes the sources and calls it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

ROOT = Path(os.environ["DPCOURSE_ROOT"])
sys.path.insert(0, str(ROOT))

# "owner/name" of the public repository. Where it is set, the site shows source links and "run it yourself" buttons.
REPOSITORY = os.environ.get("REPOSITORY", "")

project = "dpcourse"
author = "the dpcourse authors"
language = "en"
extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "dpcourse_site",
]
sys.path.insert(0, str(ROOT / "site"))
mathjax_path = "mathjax/tex-chtml.js"  # dpcourse_site puts it there

# Lessons are shown with the outputs they were stored with: nothing is executed.
nb_execution_mode = "off"
nb_merge_streams = True
nb_code_prompt_show = "The course checks this: show the code"
nb_code_prompt_hide = "The course checks this: hide the code"
exclude_patterns = ["notebooks/capstones/student/*"]  # files to download, not pages
myst_enable_extensions = ["dollarmath", "amsmath", "attrs_inline"]
myst_heading_anchors = 3
# Two names of scikit-learn's and NumPy's own documentation that our classes inherit are not links here.
suppress_warnings = ["myst.header", "ref.term", "ref.ref", "ref.python"]

autodoc_typehints = "none"
autodoc_member_order = "bysource"
napoleon_use_param = False
napoleon_use_rtype = False
napoleon_use_ivar = True
python_use_unqualified_type_names = True
add_module_names = False
toc_object_entries_show_parents = "hide"

html_theme = "pydata_sphinx_theme"
html_title = "dpcourse"
html_static_path = [str(ROOT / "site" / "static")]
html_favicon = str(ROOT / "site" / "static" / "hills.svg")
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_copy_source = False
html_show_sphinx = False
html_sidebars = {page: [] for page in ("index", "exercises", "explorers", "notebooks/GLOSSARY", "notebooks/TEACHING")}
html_theme_options = {
    "navigation_with_keys": False,
    "show_prev_next": True,
    "back_to_top_button": False,
    "show_nav_level": 1,
    "secondary_sidebar_items": {"**": ["page-toc"], "index": []},
    "header_links_before_dropdown": 8,
    "search_bar_text": "Search the course",
    "logo": {"text": "dpcourse", "image_light": "_static/hills.svg", "image_dark": "_static/hills.svg", "alt_text": ""},
    "footer_start": [],
    "footer_end": [],
    "navbar_end": ["theme-switcher"],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
if REPOSITORY:
    html_theme_options["icon_links"] = [
        {"name": "Source", "url": f"https://github.com/{REPOSITORY}", "icon": "fa-brands fa-github"}
    ]
    html_theme_options["navbar_end"].append("navbar-icon-links")
