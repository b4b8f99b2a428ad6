"""Columns that are independent given the cluster: one module a kind, and one state for tables of any of them.

A module says what its kind of column is, readable and compiled: a family, where it has no state of its own, and a
:class:`~dpviz.families.columns.kinds.Kind`, which :mod:`~dpviz.families.columns.verbs` lists. With that it works alone,
in mixed tables beside a full covariance, with gaps, with filled cells, and where a point counts as a part of a point.
"""
