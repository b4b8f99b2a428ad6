"""The programs that serve the app: one server, or many behind a proxy."""
