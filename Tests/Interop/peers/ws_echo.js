// An echo server on Node's ws; prints its port.
const { WebSocketServer } = require("ws");

const server = new WebSocketServer({ host: "127.0.0.1", port: 0 }, () => {
  console.log(server.address().port);
});

server.on("connection", (socket, request) => {
  // What is not taken by a slow client is not read from it either.
  socket.on("message", (data, isBinary) => {
    socket.send(data, { binary: isBinary }, () => {
      if (socket.isPaused && socket.bufferedAmount < 1 << 20) socket.resume();
    });
    if (socket.bufferedAmount > 1 << 24) socket.pause();
  });
});
