"""A GraphQL server, based on ariadne and uvicorn (PyPI).

    graphql_server.py PORT [SUBPROTOCOL]

SUBPROTOCOL is graphql-transport-ws (default) or graphql-ws. The payload of connection_init must be {"token":"t"}.
Query: add(a, b). Subscriptions: count(n), which ends, and tick, which does not.
"""

import asyncio
import sys

import uvicorn
from ariadne import QueryType, SubscriptionType, make_executable_schema
from ariadne.asgi import GraphQL, WebSocketConnectionError
from ariadne.asgi.handlers import GraphQLTransportWSHandler, GraphQLWSHandler

SCHEMA = "type Query { add(a: Int!, b: Int!): Int! } type Subscription { count(n: Int!): Int! tick: Int! }"
query, subscription = QueryType(), SubscriptionType()


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


@subscription.field("count")
@subscription.field("tick")
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
    make_executable_schema(SCHEMA, query, subscription), websocket_handler=handler(on_connect=check_token))
uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="critical", ws_ping_interval=0.3)
