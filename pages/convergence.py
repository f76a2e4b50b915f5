"""The address that Starts had in earlier versions."""

import streamlit as st

st.switch_page("pages/starts.py", query_params=st.query_params.to_dict())
