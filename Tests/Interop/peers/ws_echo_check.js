// A client on Node's ws: sends the messages on standard input to an echo server, and compares what comes back.
//
//     ws_echo_check.js URL OPTIONS
//
// OPTIONS is the value of perMessageDeflate, as JSON. A message is a byte, 1 for text and 2 for binary, its length in
// four bytes, and its payload. Prints the compression that was agreed on, and how many came back as they were sent.
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
