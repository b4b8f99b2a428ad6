"""The whole app with what comes from outside; run it like app.py."""

import dpviz.ui.pages  # noqa: F401  (registers the pages)

# isort: split
import toy_page  # noqa: F401  (registers one more, the last in the navigation)
import toys  # noqa: F401

from dpviz.ui.shell import navigation, page

navigation.navigate(page.run)
