"""User interface of the dashboard: with pages/ and app.py the only code that uses Streamlit."""
