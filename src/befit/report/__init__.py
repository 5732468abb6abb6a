"""One document model, rendered as terminal text, JSON, Markdown and a single HTML file."""
