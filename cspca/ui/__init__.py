"""The dashboard's own parts: the only room, with pages and app.py, that knows Streamlit."""
