#!/bin/sh
# A press of a button is lost where another request of the same page follows at once: of two requests
# for which no run of the script has begun, Streamlit serves the second, without what was pressed.
# In a browser that is a component that sends a value of its own at that moment.
# Seen with streamlit 1.67.0 and websockets 15.0.1: of 40 presses, each with another widget's value
# sent right behind it, many were never heard (how many differs); of 40 that came alone, all were:
#     alone: 40 presses, 40 heard
#     followed at once: 40 presses, 25 heard
# Exits 0 while it is so, 1 when it is not any more, 2 when they cannot be installed.
set -eu
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/env"
"$place/env/bin/pip" install --quiet streamlit==1.67.0 websockets==15.0.1 || exit 2
cat > "$place/app.py" <<'PYTHON'
from pathlib import Path

import streamlit as st


def pressed() -> None:
    with Path(__file__).with_name("heard").open("a") as file:
        file.write("x")


st.button("Press", on_click=pressed)
st.text_input("Words")
PYTHON
cd "$place"
"$place/env/bin/python" - <<'PYTHON'
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from importlib.metadata import version
from pathlib import Path

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.sync.client import connect

with socket.socket() as free:
    free.bind(("127.0.0.1", 0))
    port = free.getsockname()[1]
command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port)]
command += ["--server.headless", "true", "--browser.gatherUsageStats", "false"]
server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
heard = Path("heard")
try:
    for _ in range(120):
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health").read()
            break
        except (urllib.error.URLError, ConnectionError):
            time.sleep(0.5)
    with connect(
        f"ws://127.0.0.1:{port}/_stcore/stream", subprotocols=["streamlit"], proxy=None
    ) as page:
        hash_of_page, ids = "", {}

        def send(*widgets: WidgetState) -> None:
            state = ClientState(page_script_hash=hash_of_page)
            state.widget_states.widgets.extend(widgets)
            page.send(BackMsg(rerun_script=state).SerializeToString())

        def rest() -> None:
            """Read what comes until nothing has come for a second."""
            global hash_of_page
            while True:
                try:
                    message = ForwardMsg.FromString(page.recv(timeout=1.0))
                except TimeoutError:
                    return
                if message.WhichOneof("type") == "new_session":
                    hash_of_page = message.new_session.page_script_hash
                if message.WhichOneof("type") == "delta":
                    element = message.delta.new_element
                    kind = element.WhichOneof("type")
                    if kind in ("button", "text_input"):
                        ids[kind] = getattr(element, kind).id

        send()
        while len(ids) < 2:
            rest()
        counts = {}
        for name in ("alone", "followed at once"):
            heard.write_text("")
            for number in range(40):
                send(WidgetState(id=ids["button"], trigger_value=True))
                if name != "alone":
                    send(WidgetState(id=ids["text_input"], string_value=f"{number}"))
                rest()
            counts[name] = len(heard.read_text())
            print(f"{name}: 40 presses, {counts[name]} heard", flush=True)
finally:
    server.terminate()
print("streamlit", version("streamlit"))
sys.exit(not (counts["alone"] == 40 and counts["followed at once"] < 40))
PYTHON
