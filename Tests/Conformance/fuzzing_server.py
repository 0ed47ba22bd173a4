"""The fuzzing server of the Autobahn TestSuite, for Python 2.7. It listens on a free loopback port, which it prints.

`wstest` would listen on all interfaces, and on a port that must be known in advance.

    fuzzing_server.py SPECIFICATION
"""

import autobahntestsuite.choosereactor  # must be the first import, according to the suite's documentation

import json
import socket
import sys

from autobahntestsuite import fuzzing
from twisted.internet import reactor

listener = socket.socket()
listener.bind(("127.0.0.1", 0))
listener.listen(50)
listener.setblocking(False)
port = listener.getsockname()[1]
sys.stdout.write("%d\n" % port)
sys.stdout.flush()


def listen(factory, context_factory):
    reactor.adoptStreamPort(listener.fileno(), socket.AF_INET, factory)


with open(sys.argv[1]) as file:
    specification = json.load(file)
specification["url"] = "ws://127.0.0.1:%d" % port
fuzzing.listenWS = listen
fuzzing.startServer(specification, webport=None)
reactor.run()
