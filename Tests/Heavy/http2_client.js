// A client on Node's http2 (RFC 8441) with two WebSockets on one connection, with the frames of ws for Node:
// `http2_client.js PORT MEBIBYTES`.
//
// The first sends, but does not read what returns. Meanwhile, the second sends and receives messages of 1 MiB. Then the
// first reads. Prints the mebibytes of the second, those of the first by then, and those of the first in the end.
const http2 = require("http2");
const path = require("path");
const WebSocket = require(path.join(process.env.NODE_PATH, "ws", "lib/websocket"));

const [port, count] = process.argv.slice(2).map(Number);
const unit = Buffer.alloc(1 << 20, "x");
const session = http2.connect(`http://127.0.0.1:${port}`, { settings: { initialWindowSize: 1 << 20 } });
session.on("connect", () => session.setLocalWindowSize(64 << 20));

function open() {
  const stream = session.request(
    { ":method": "CONNECT", ":protocol": "websocket", ":path": "/", "sec-websocket-version": "13" }, { endStream: false });
  stream.setNoDelay = () => {};
  return new Promise((resolve, reject) => {
    stream.on("error", reject);
    stream.on("response", (headers) => {
      if (headers[":status"] !== 200) return reject(new Error(`status ${headers[":status"]}`));
      const socket = new WebSocket(null);
      socket._isServer = false;
      socket.setSocket(stream, Buffer.alloc(0), { maxPayload: 256 << 20 });
      resolve([socket, stream]);
    });
  });
}

function exchange(socket, total) {
  return new Promise((resolve, reject) => {
    let received = 0;
    socket.on("message", (data) => {
      if (!data.equals(unit)) reject(new Error("a message differs"));
      received += 1;
      if (received === total) resolve(received); else if (received + 8 <= total) socket.send(unit);
    });
    for (let sent = 0; sent < Math.min(8, total); sent += 1) socket.send(unit);
  });
}

session.once("remoteSettings", async (settings) => {
  if (!settings.enableConnectProtocol) throw new Error("no extended CONNECT");
  const [first, paused] = await open();
  const [second] = await open();
  paused.pause();
  let received = 0;
  first.on("message", () => { received += 1; });
  const late = exchange(first, 64);
  const early = await exchange(second, count);
  console.log(early, received);
  paused.resume();
  console.log(await late);
  for (const socket of [first, second]) socket.close(1000);
  await Promise.all([first, second].map((socket) => new Promise((resolve) => socket.on("close", resolve))));
  session.close();
});
