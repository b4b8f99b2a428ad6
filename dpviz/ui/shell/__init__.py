"""What surrounds every page: set-up, navigation, links."""
