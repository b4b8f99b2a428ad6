"""Pure functions from data and traces to plotly figures, and to HTML where a figure would take too long."""
