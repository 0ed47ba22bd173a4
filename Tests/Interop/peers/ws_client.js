// A client on ws for Node. Sends its arguments after the count as messages, prints that many messages, and closes.
//
//     ws_client.js URL COUNT MESSAGE...
const WebSocket = require("ws");

const [url, countText, ...messages] = process.argv.slice(2);
const socket = new WebSocket(url);
let left = Number(countText);

socket.on("open", () => messages.forEach((message) => socket.send(message)));
socket.on("message", (data, isBinary) => {
  console.log(isBinary ? data.toString("hex") : data.toString());
  left -= 1;
  if (left === 0) socket.close(1000);
});
socket.on("close", (code, reason) => console.log(`closed ${code} ${reason}`));
socket.on("error", (error) => console.log(`error ${error.message}`));
