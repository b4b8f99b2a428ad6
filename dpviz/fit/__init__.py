"""From data and a configuration to a finished run: what is automatic is chosen here, then the engine searches."""
