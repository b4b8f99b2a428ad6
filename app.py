"""dpviz: navigation; opening the app lands on the first page."""

import dpviz.ui.pages  # noqa: F401  (registers the pages)
from dpviz.ui.shell import navigation, page

navigation.navigate(page.run)
