"""One run as one page that can be published: data, model, answer at several scales, how certain, how to repeat it.

Public interface
----------------
``report(dataset, trace, X=None, *, code="", joined=None, joined_by="nll", shaping=None, most_work=MOST_WORK) -> str``
    The page. It says only what was computed, and names what was not tried.
``report_steps(...)``
    The same part by part, for who wants to stop between them.
``Shaping``
    How the clustered numbers were made of the table.
``recognised(dataset, X) -> Shaping``
    The scaling by which they were made, if it is one.
``cluster_table(dataset, labels) -> pandas.DataFrame``
    Size, and every column in its own units, for each cluster.
"""

from dpviz.report.page import MOST_WORK, report, report_steps
from dpviz.report.preparation import Shaping, recognised
from dpviz.report.tables import cluster_table

__all__ = ["MOST_WORK", "Shaping", "cluster_table", "recognised", "report", "report_steps"]
