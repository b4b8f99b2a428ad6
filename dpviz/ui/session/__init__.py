"""State of a session: the chosen data, its runs, background work, history, exports."""
