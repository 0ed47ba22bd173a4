// An echo server on ws for Node, as in its documentation. Prints its port.
const { WebSocketServer } = require("ws");

const server = new WebSocketServer({ host: "127.0.0.1", port: 0, perMessageDeflate: false }, () => {
  console.log(server.address().port);
});

server.on("connection", (socket) => {
  socket.on("message", (data, isBinary) => socket.send(data, { binary: isBinary }));
});
