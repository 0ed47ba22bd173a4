"""A GraphQL server, based on ariadne and uvicorn (PyPI).

    graphql_server.py PORT [SUBPROTOCOL]

SUBPROTOCOL is graphql-transport-ws (default) or graphql-ws. The payload of connection_init must be {"token":"t"}.
Query: add(a, b). Subscriptions: count(n), which ends, and tick, which does not. The subscription said has what the
mutation say(text, faulty) says, for other clients than its own with the faults of deliveries.py if `faulty`.
"""

import asyncio
import pathlib
import sys

import uvicorn
from ariadne import MutationType, QueryType, SubscriptionType, make_executable_schema
from ariadne.asgi import GraphQL, WebSocketConnectionError
from ariadne.asgi.handlers import GraphQLTransportWSHandler, GraphQLWSHandler

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from deliveries import Deliveries  # noqa: E402

SCHEMA = """
type Query { add(a: Int!, b: Int!): Int! }
type Mutation { say(text: String!, faulty: Boolean): Boolean! }
type Subscription { count(n: Int!): Int! tick: Int! said: String! }
"""
query, mutation, subscription = QueryType(), MutationType(), SubscriptionType()
# The texts of each subscription to `said`, with the address of its client.
queues = {}
deliveries = Deliveries()


@query.field("add")
def add(_, info, a, b):
    return a + b


@subscription.source("count")
async def count(_, info, n):
    for number in range(n):
        yield number


@subscription.source("tick")
async def tick(_, info):
    number = 0
    while True:
        yield number
        number += 1
        await asyncio.sleep(0.1)


@mutation.field("say")
async def say(_, info, text, faulty=False):
    for queue, client in queues.items():
        is_reader = client != info.context["request"].client
        for copy in deliveries.copies(queue, text) if faulty and is_reader else [text]:
            queue.put_nowait(copy)
    return True


@subscription.source("said")
async def said(_, info):
    queue = asyncio.Queue()
    queues[queue] = info.context["request"].client
    try:
        while True:
            yield await queue.get()
    finally:
        del queues[queue]


@subscription.field("count")
@subscription.field("tick")
@subscription.field("said")
def value(number, info, **arguments):
    return number


handler = GraphQLWSHandler if sys.argv[2:] == ["graphql-ws"] else GraphQLTransportWSHandler


async def check_token(websocket, payload):
    if not isinstance(payload, dict) or payload.get("token") != "t":
        # ariadne does not send this code in the newer protocol.
        if handler is GraphQLTransportWSHandler:
            await websocket.close(4403, "wrong token")
        raise WebSocketConnectionError({"message": "wrong token"})


app = GraphQL(
    make_executable_schema(SCHEMA, query, mutation, subscription), websocket_handler=handler(on_connect=check_token))
uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="critical", ws_ping_interval=0.3)
