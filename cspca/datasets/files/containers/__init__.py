"""Parsers of foreign files, one module a container: ``parse(content, watch)``."""
