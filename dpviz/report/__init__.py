"""One run as one page that can be published: data, model, answer at several scales, how certain, how to repeat it.

Public interface
----------------
``report(dataset, trace, X=None, *, code="", joined=None, most_work=MOST_WORK) -> str``
    The page. It says only what was computed, and names what was not tried.
``cluster_table(dataset, labels) -> pandas.DataFrame``
    Size, and every column in its own units, for each cluster.
"""

from dpviz.report.page import MOST_WORK, report
from dpviz.report.tables import cluster_table

__all__ = ["MOST_WORK", "cluster_table", "report"]
