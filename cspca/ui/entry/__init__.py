"""The script that Streamlit runs: alone in its folder, which is put before all where modules are.

Whatever else stood here would hide modules of that name, also from child processes.
"""
