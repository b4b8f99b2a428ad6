"""Learn: a course in chapters, each with a prediction to make first."""

import dpviz.ui.pages  # noqa: F401  (registers the pages)
from dpviz.ui.shell import page

page.run("learn")
