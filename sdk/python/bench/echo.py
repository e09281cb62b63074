"""A bare echo of JSON lines: what any host must do at least."""

import json
import sys

for line in sys.stdin:
    message = json.loads(line)
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": message["params"]}) + "\n")
    sys.stdout.flush()
