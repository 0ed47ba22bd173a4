// A server on ws for Node that forwards each message to all other clients, as in its documentation. Prints its port.
const { WebSocketServer } = require("ws");

const server = new WebSocketServer({ host: "127.0.0.1", port: 0, perMessageDeflate: false }, () => {
  console.log(server.address().port);
});

server.on("connection", (socket) => {
  socket.on("message", (data, isBinary) => {
    for (const client of server.clients) if (client !== socket) client.send(data, { binary: isBinary });
  });
});
