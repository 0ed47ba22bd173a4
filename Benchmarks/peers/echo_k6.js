// A k6 load test: 50 connections with one message of 20 bytes in flight each. Every echo is compared with its message.
import { WebSocket } from "k6/experimental/websockets";
import { Counter } from "k6/metrics";

const echoes = new Counter("echoes");
const seconds = Number(__ENV.SECONDS);
const message = "x".repeat(20);

export const options = { vus: Number(__ENV.CONNECTIONS), iterations: Number(__ENV.CONNECTIONS) };

export default function () {
  const socket = new WebSocket(__ENV.URL);
  socket.onopen = () => {
    setTimeout(() => socket.close(), seconds * 1000);
    socket.send(message);
  };
  socket.onmessage = (event) => {
    if (event.data !== message) throw new Error(`not what was sent: ${event.data}`);
    echoes.add(1);
    socket.send(message);
  };
}

/** Prints the echoes per second on standard output. */
export function handleSummary(data) {
  return { stdout: `${data.metrics.echoes.values.count / seconds}\n` };
}
