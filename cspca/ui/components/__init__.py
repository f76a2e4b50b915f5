"""Parts of the page that Streamlit does not have: drawn and driven by our own small scripts."""
