"""What a session holds: the chosen data, its runs, work in the background, history, exports."""
