#!/bin/sh
# distributed's get_client() gives tasks of one worker process a client that is not connected yet:
# all but the first are given the one that the first is connecting, with the status "newly-created"
# where a client that is returned is "running". Who takes any other status for lost is wrong.
# Seen with distributed 2026.8.0, 16 threads of one worker that ask at once (0 to 15 of them):
#     1 rounds: status, workers: {('newly-created', 1): 15, ('running', 1): 1}
# Exits 0 while it is seen in one of twenty rounds, 1 when it is not, 2 when it cannot be installed.
set -eu
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/env"
"$place/env/bin/pip" install --quiet dask==2026.8.0 distributed==2026.8.0 || exit 2
cat >"$place/ask.py" <<'PYTHON'
import collections
import sys
import time

import distributed
from distributed import Client, LocalCluster, get_client


def ask(at):
    while time.time() < at:
        pass
    client = get_client()
    return client.status, len(client.scheduler_info()["workers"])


if __name__ == "__main__":
    print("distributed", distributed.__version__)
    options = {"n_workers": 1, "threads_per_worker": 16, "dashboard_address": None}
    seen = collections.Counter()
    for number in range(1, 21):
        with LocalCluster(processes=True, **options) as cluster, Client(cluster) as client:
            at = time.time() + 1.0
            tasks = client.map(ask, [at] * 16, pure=False)
            seen.update(client.gather(tasks))
        if any(status != "running" for status, _ in seen):
            break
    print(number, "rounds: status, workers:", dict(seen))
    sys.exit(all(status == "running" for status, _ in seen))
PYTHON
"$place/env/bin/python" "$place/ask.py"
