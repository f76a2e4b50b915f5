"""What runs each time a page is drawn: first the address, then the menu, then the page."""

import streamlit as st

from cspca.ui import frame, menu, state

# Before the menu too: the browser would take the icon of the page's entry for its tab, and fetch it
# from a server of Google's (Streamlit 1.67).
frame.configure()
# Before the menu is sent: a turn to another page is then one step of Back.
state.follow_address()
page = st.navigation(menu.pages(), expanded=True)
state.note_page()
page.run()
