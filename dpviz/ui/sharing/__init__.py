"""Bringing others to what a page shows: short links, QR codes, and what embeds a page."""
