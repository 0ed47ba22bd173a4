// An echo server with TLS on ws for Node. Prints its port.
//
//     wss_echo.js PEM
//
// PEM is a file with a certificate and its key.
const fs = require("fs");
const https = require("https");
const { WebSocketServer } = require("ws");

const pem = fs.readFileSync(process.argv[2]);
const listener = https.createServer({ cert: pem, key: pem });
const server = new WebSocketServer({ server: listener, perMessageDeflate: false });

server.on("connection", (socket) => {
  // Stop reading from a slow client while its echoes are pending.
  socket.on("message", (data, isBinary) => {
    socket.send(data, { binary: isBinary }, () => {
      if (socket.isPaused && socket.bufferedAmount < 1 << 20) socket.resume();
    });
    if (socket.bufferedAmount > 1 << 24) socket.pause();
  });
});
listener.listen(0, "127.0.0.1", () => console.log(listener.address().port));
