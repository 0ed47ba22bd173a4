"""The fuzzing server of the Autobahn TestSuite, for Python 2.7: on loopback alone, on a free port, which it prints.

`wstest` itself takes connections from everywhere, and a port that has to be known beforehand.

    fuzzing_server.py SPECIFICATION
"""

import autobahntestsuite.choosereactor  # the first of the imports, says the suite

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
