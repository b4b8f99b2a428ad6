"""The Papers page: tables and figures of the papers beside what dpviz finds."""
