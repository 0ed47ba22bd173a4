// An echo server on Node's http2 (RFC 8441), with the frames of ws for Node: `http2_echo.js PORT`. It prints its port.
//
// `/closed` closes with 4001, and `/refused` rejects the upgrade with 403.
const http2 = require("http2");
const path = require("path");
const library = (name) => require(path.join(process.env.NODE_PATH, "ws", name));
const WebSocket = library("lib/websocket");
const PerMessageDeflate = library("lib/permessage-deflate");
const extension = library("lib/extension");

const server = http2.createServer({
  settings: { enableConnectProtocol: true, maxConcurrentStreams: 1000, initialWindowSize: 1 << 20 },
});
server.on("session", (session) => session.setLocalWindowSize(16 << 20));
server.on("stream", (stream, headers) => {
  stream.on("error", () => {});
  if (headers[":method"] !== "CONNECT" || headers[":protocol"] !== "websocket") {
    stream.respond({ ":status": 404 }, { endStream: true });
    return;
  }
  if (headers[":path"] === "/refused") {
    stream.respond({ ":status": 403 }, { endStream: true });
    return;
  }
  const socket = new WebSocket(null);
  const response = { ":status": 200 };
  const offer = headers["sec-websocket-extensions"];
  if (offer) {
    const deflate = new PerMessageDeflate({ threshold: 0 }, true, 256 << 20);
    deflate.accept(extension.parse(offer)["permessage-deflate"]);
    socket._extensions["permessage-deflate"] = deflate;
    response["sec-websocket-extensions"] = extension.format({ "permessage-deflate": [deflate.params] });
  }
  stream.respond(response);
  stream.setNoDelay = () => {};
  socket.on("error", () => {});
  socket.on("message", (data, isBinary) => {
    socket.send(data, { binary: isBinary }, () => {
      if (socket.isPaused && socket.bufferedAmount < 1 << 20) socket.resume();
    });
    if (socket.bufferedAmount > 1 << 24) socket.pause();
  });
  socket.setSocket(stream, Buffer.alloc(0), { maxPayload: 256 << 20 });
  if (headers[":path"] === "/closed") socket.close(4001, "enough");
});
server.listen(Number(process.argv[2]), "127.0.0.1", () => console.log(server.address().port));
