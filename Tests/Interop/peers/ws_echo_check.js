// A client on ws for Node. Sends the messages on standard input to an echo server, and compares the echoes.
//
//     ws_echo_check.js URL OPTIONS
//
// OPTIONS is the value of perMessageDeflate, as JSON. A message consists of a byte, 1 for text or 2 for binary, its
// length in four bytes, and its payload. Prints the negotiated compression, and the number of messages that returned
// unchanged.
const { readFileSync } = require("fs");
const WebSocket = require("ws");

const [url, options] = process.argv.slice(2);
const input = readFileSync(0);
const messages = [];
for (let offset = 0; offset < input.length; ) {
  const end = offset + 5 + input.readUInt32BE(offset + 1);
  messages.push({ binary: input[offset] === 2, data: input.subarray(offset + 5, end) });
  offset = end;
}

const socket = new WebSocket(url, { perMessageDeflate: JSON.parse(options) });
let count = 0;

socket.on("open", () => {
  console.log(JSON.stringify(socket._extensions["permessage-deflate"].params));
  messages.forEach(({ data, binary }) => socket.send(data, { binary }));
});
socket.on("message", (data, isBinary) => {
  const sent = messages[count];
  if (isBinary !== sent.binary || !data.equals(sent.data)) throw new Error(`message ${count} came back changed`);
  count += 1;
  if (count === messages.length) socket.close(1000);
});
socket.on("close", (code) => console.log(`${count} returned, closed ${code}`));
