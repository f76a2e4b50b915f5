"""Explore: move the penalties, see which pixels stay, and which other images select again."""

from cspca.ui import explore_tabs

explore_tabs.draw()
