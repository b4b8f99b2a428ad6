"""The Papers page: tables and figures of the papers next to dpviz's results."""
