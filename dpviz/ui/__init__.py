"""Streamlit glue: session, controls, the player, links and exports."""
