"""The pages that come with dpviz, in the order of the navigation: four rooms."""

from __future__ import annotations

from dpviz.ui.classroom import page as classroom
from dpviz.ui.compare import page as compare
from dpviz.ui.data import page as data
from dpviz.ui.explore import page as explore
from dpviz.ui.learn import challenges, lessons, story
from dpviz.ui.learn import page as learn
from dpviz.ui.papers import page as papers
from dpviz.ui.posterior import page as posterior
from dpviz.ui.predict import page as predict
from dpviz.ui.priors import page as priors
from dpviz.ui.shell import navigation
from dpviz.ui.shell.navigation import Page, register
from dpviz.ui.start import page as start
from dpviz.ui.tune import page as tune

LEARN, EXPERIMENT, ANALYSE, PAPERS = "Learn", "Experiment", "Analyse", "Papers"

for _page in (
    Page(
        "start",
        navigation.HOME,
        ":material/home:",
        start.show,
        sidebar=False,
        shares=False,
        computes=False,
        style=start.STYLE,
    ),
    Page(
        "story",
        "Story",
        ":material/auto_stories:",
        story.show,
        LEARN,
        sidebar=False,
        shares=False,
        style=story.STYLE,
    ),
    Page("learn", "Course", ":material/school:", learn.show, LEARN, style=learn.STYLE),
    Page(
        "lessons", "Lessons", ":material/list:", lessons.show, LEARN, sidebar=False, computes=False, style=lessons.STYLE
    ),
    Page("challenges", "Challenges", ":material/emoji_events:", challenges.show, LEARN, sidebar=False),
    Page(
        "classroom",
        "Class",
        ":material/co_present:",
        classroom.show,
        LEARN,
        sidebar=False,
        shares=False,
        style=classroom.STYLE,
    ),
    Page(
        "priors",
        "Priors",
        ":material/table_restaurant:",
        priors.show,
        LEARN,
        style=priors.STYLE,
        settings=priors.settings,
    ),
    Page("explore", "Explore", ":material/play_circle:", explore.show, EXPERIMENT, style=explore.STYLE),
    Page("compare", "Compare", ":material/compare:", compare.show, EXPERIMENT, style=compare.STYLE),
    Page("data", "Data", ":material/table_chart:", data.show, ANALYSE, sidebar=False, computes=False),
    Page("tune", "Tune", ":material/tune:", tune.show, ANALYSE),
    Page("posterior", "Posterior", ":material/scatter_plot:", posterior.show, ANALYSE),
    Page("predict", "Predict", ":material/my_location:", predict.show, ANALYSE),
    Page(
        "papers", "Papers", ":material/article:", papers.show, PAPERS, sidebar=False, computes=False, style=papers.STYLE
    ),
):
    register(_page)
