"""dpviz: navigation; opening the app lands on Explore."""

from __future__ import annotations

import streamlit as st

st.navigation(
    [
        st.Page("pages/explore.py", title="Explore", icon=":material/play_circle:", url_path="explore", default=True),
        st.Page("pages/data.py", title="Data", icon=":material/table_chart:", url_path="data"),
    ]
).run()
