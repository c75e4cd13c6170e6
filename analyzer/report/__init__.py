"""Reports: one content, several renderers."""
