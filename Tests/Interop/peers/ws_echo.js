// An echo server on ws for Node. Prints its port, and the compression negotiated with each client.
//
//     ws_echo.js [OPTIONS]
//
// OPTIONS is the value of perMessageDeflate, as JSON.
const { WebSocketServer } = require("ws");

const perMessageDeflate = JSON.parse(process.argv[2] || "false");
const server = new WebSocketServer({ host: "127.0.0.1", port: 0, perMessageDeflate }, () => {
  console.log(server.address().port);
});

server.on("connection", (socket, request) => {
  const compression = socket._extensions["permessage-deflate"];
  if (compression) console.log(JSON.stringify(compression.params));
  // Stop reading from a slow client while its echoes are pending.
  socket.on("message", (data, isBinary) => {
    socket.send(data, { binary: isBinary }, () => {
      if (socket.isPaused && socket.bufferedAmount < 1 << 20) socket.resume();
    });
    if (socket.bufferedAmount > 1 << 24) socket.pause();
  });
});
