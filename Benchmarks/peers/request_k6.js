// A k6 load test: 50 connections with one request in flight each. Each reply must have the id of its request.
import { WebSocket } from "k6/experimental/websockets";
import { Counter } from "k6/metrics";

const replies = new Counter("replies");
const seconds = Number(__ENV.SECONDS);

export const options = { vus: Number(__ENV.CONNECTIONS), iterations: Number(__ENV.CONNECTIONS) };

export default function () {
  const socket = new WebSocket(__ENV.URL);
  let id = 1;
  const request = () => socket.send(JSON.stringify({ id, op: "list" }));
  socket.onopen = () => {
    setTimeout(() => socket.close(), seconds * 1000);
    request();
  };
  socket.onmessage = (event) => {
    if (JSON.parse(event.data).id !== id) return;
    replies.add(1);
    id += 1;
    request();
  };
}

/** Prints the replies per second on standard output. */
export function handleSummary(data) {
  return { stdout: `${data.metrics.replies.values.count / seconds}\n` };
}
