// The load of chat.jsonl as a k6 script: a login, then five requests in turn, each with one reply.
import { WebSocket } from "k6/experimental/websockets";
import { SharedArray } from "k6/data";
import { Counter, Trend } from "k6/metrics";
import exec from "k6/execution";

const users = new SharedArray("users", () =>
  open(__ENV.USERS).trim().split("\n").slice(1).map((line) => {
    const fields = [...line.matchAll(/"((?:[^"]|"")*)"|([^,]+)/g)];
    const [user, token, room] = fields.map((field) => field[2] ?? field[1].replaceAll('""', '"'));
    return { user, token, room };
  }));
const steps = ["login", "join", "say", "history", "who", "leave"];
const counts = Object.fromEntries(["passed", "wrong", "late"].map((name) => [name, new Counter(name)]));
const durations = Object.fromEntries(steps.map((step) => [step, new Trend(`${step}_ms`, true)]));
const iterations = new Counter("chat_iterations");
const seconds = Number(__ENV.SECONDS);

export const options = { vus: Number(__ENV.CONNECTIONS), iterations: Number(__ENV.CONNECTIONS) };

export default function () {
  const { user, token, room } = users[exec.vu.idInTest - 1];
  const socket = new WebSocket(__ENV.URL);
  let id = 0, step = 0, session = "", begin = 0, timeout = null;

  function request() {
    id += 1;
    const op = steps[step];
    const members = op === "login" ? { user, token } : { session, room };
    if (op === "say") members.text = `hello from ${user}, ${Math.random().toString(36)}`;
    begin = Date.now();
    timeout = setTimeout(() => { counts.late.add(1, { step: op }); socket.close(); }, 1000);
    socket.send(JSON.stringify({ id, op, ...members }));
  }

  socket.onopen = () => {
    setTimeout(() => socket.close(), seconds * 1000);
    request();
  };
  socket.onmessage = (event) => {
    const message = JSON.parse(event.data);
    if (message.event === "heartbeat") return socket.send('{"op":"alive"}');
    if (message.id !== id) return;
    clearTimeout(timeout);
    const op = steps[step];
    if (message.ok !== true) { counts.wrong.add(1, { step: op }); return socket.close(); }
    counts.passed.add(1, { step: op });
    durations[op].add(Date.now() - begin);
    if (op === "login") session = message.session;
    step += 1;
    if (step === steps.length) { iterations.add(1); step = 1; }
    request();
  };
  socket.onclose = () => clearTimeout(timeout);
}

/** Prints the iterations per second on standard output. */
export function handleSummary(data) {
  return { stdout: `${data.metrics.chat_iterations.values.count / seconds}\n` };
}
