"""An echo server on picows, as in its documentation. Prints its port."""

import asyncio

import picows
import uvloop


class Echo(picows.WSListener):
    def on_ws_frame(self, transport, frame):
        if frame.msg_type == picows.WSMsgType.CLOSE:
            transport.send_close(frame.get_close_code(), frame.get_close_message())
            transport.disconnect()
        else:
            transport.send(frame.msg_type, frame.get_payload_as_memoryview())


async def main():
    server = await picows.ws_create_server(lambda request: Echo(), "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


uvloop.run(main())
