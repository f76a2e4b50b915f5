"""What runs at every turn of every page: first the address, then the menu, then the page."""

import streamlit as st

from cspca.ui import menu, state

# Before the menu is sent: a turn to another page is then one step of Back.
state.follow_address()
st.navigation(menu.pages(), expanded=True).run()
