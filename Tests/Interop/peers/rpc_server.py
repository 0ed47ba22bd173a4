"""A JSON-RPC 2.0 server, or one of the DevTools protocol, which omits the member jsonrpc.

    rpc_server.py PORT [devtools]

The last part of a method decides: `echo` returns its parameters, `flood` with {"n":N} notifies N times of `tick`, and
any other fails. The bearer token of the request must be `t` if there is one.
"""

import json
import sys

from standin import Client, serve

VERSION = {} if sys.argv[2:] == ["devtools"] else {"jsonrpc": "2.0"}


class Caller(Client):
    def received(self, message):
        call = json.loads(message)
        domain, _, name = call["method"].rpartition(".")
        parameters = call.get("params", {})
        if name == "echo":
            outcome = {"result": parameters}
        elif name == "flood":
            method = f"{domain}.tick" if domain else "tick"
            for number in range(parameters["n"]):
                self.send({**VERSION, "method": method, "params": {"i": number}})
            outcome = {"result": {}}
        else:
            outcome = {"error": {"code": -32601, "message": f"'{call['method']}' wasn't found"}}
        self.send({**VERSION, "id": call["id"], **outcome})


serve(Caller)
