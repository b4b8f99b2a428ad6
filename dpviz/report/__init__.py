"""One run as one page that can be published: data, model, answer at several scales, how certain, how to repeat it.

Public interface
----------------
``report(dataset, trace, X=None, *, code="", joined=None, joined_by="nll", names=(), colours=(), shaping=None,
most_work=MOST_WORK) -> str``
    The page. It says only what was computed, and names what was not tried.
``report_steps(...)``
    The same part by part, for who wants to stop between them.
``Shaping``
    How the clustered numbers were made of the table.
``recognised(dataset, X) -> Shaping``
    The scaling by which they were made, if it is one.
``cluster_table(dataset, labels) -> pandas.DataFrame``
    Size, and every column in its own units, for each cluster.
``described_table(dataset, labels, names=()) -> pandas.DataFrame``
    The same with what sets each cluster apart, in words.
``paper_figure(dataset, trace, X=None, *, format="svg", part="clusters", columns=(), width=89.0, …) -> bytes``
    Clusters, or the course of the run, for a paper.
"""

from dpviz.report.checks import MOST_WORK
from dpviz.report.figure import ONE_COLUMN, TWO_COLUMNS, paper_figure
from dpviz.report.page import report, report_steps
from dpviz.report.preparation import Shaping, recognised
from dpviz.report.tables import cluster_table, described_table

__all__ = [
    "MOST_WORK",
    "ONE_COLUMN",
    "TWO_COLUMNS",
    "Shaping",
    "cluster_table",
    "described_table",
    "paper_figure",
    "recognised",
    "report",
    "report_steps",
]
