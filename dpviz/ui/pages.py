"""The pages that come with dpviz, in the order of the navigation."""

from __future__ import annotations

from dpviz.ui.compare import page as compare
from dpviz.ui.data import page as data
from dpviz.ui.explore import page as explore
from dpviz.ui.learn import page as learn
from dpviz.ui.papers import page as papers
from dpviz.ui.posterior import page as posterior
from dpviz.ui.priors import page as priors
from dpviz.ui.shell.navigation import Page, register
from dpviz.ui.tune import page as tune

for _page in (
    Page("explore", "Explore", ":material/play_circle:", explore.show),
    Page("data", "Data", ":material/table_chart:", data.show),
    Page("compare", "Compare", ":material/compare:", compare.show),
    Page("tune", "Tune", ":material/tune:", tune.show),
    Page("priors", "Priors", ":material/table_restaurant:", priors.show),
    Page("posterior", "Posterior", ":material/scatter_plot:", posterior.show),
    Page("papers", "Papers", ":material/article:", papers.show),
    Page("learn", "Learn", ":material/school:", learn.show),
):
    register(_page)
