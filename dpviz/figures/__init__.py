"""Pure functions from data and traces to plotly figures."""
