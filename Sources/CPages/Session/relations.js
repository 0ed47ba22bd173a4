// How messages relate: the previous one of the same kind, and replies.

/** The members that make up the kind of a message, as in `MessageChanges`. */
const KIND_MEMBERS = ["type", "event", "op", "method", "channel", "topic", "stream", "symbol"];
/** Longer messages are not parsed. */
const READ_CHARACTERS = 256 << 10;
/** The time that reading takes at once. */
const READ_MS = 12;

const isScalar = value => value === null || typeof value !== "object";

/** Reads all messages of a connection in the background, in their order. */
export class Relations {
  /** For each event: the previous one of its kind, the next one, the request it answers, and its reply; or -1. */
  previous = [];
  next = [];
  request = [];
  reply = [];
  /** The number of events read. */
  readCount = 0;
  /** The times of replies, in microseconds. */
  latencies = [];

  #events;
  #latest = new Map();
  #unanswered = new Map();
  #isStopped = false;
  #didRead;

  /** Calls `didRead()` from time to time, and at the end. */
  constructor(events, didRead) {
    this.#events = events;
    this.#didRead = didRead;
    this.read();
  }

  /** Reads the events that have been added. */
  read() {
    for (let index = this.previous.length; index < this.#events.count; index += 1) {
      for (const list of [this.previous, this.next, this.request, this.reply]) list.push(-1);
    }
    setTimeout(() => this.#turn());
  }

  #turn() {
    if (this.#isStopped) return;
    const end = performance.now() + READ_MS;
    const count = this.previous.length;
    while (this.readCount < count && performance.now() < end) this.#read(this.readCount++);
    this.#didRead();
    if (this.readCount < count) setTimeout(() => this.#turn());
  }

  get isComplete() {
    return this.readCount === this.#events.count;
  }

  stop() {
    this.#isStopped = true;
  }

  #read(index) {
    const kind = this.#events.kind(index);
    if (!kind.endsWith("text") || this.#events.sizes[index] > READ_CHARACTERS) return;
    let value;
    try {
      value = JSON.parse(this.#events.value(index));
    } catch {
      return;
    }
    const members = isScalar(value) || Array.isArray(value) ? {} : value;
    const values = KIND_MEMBERS.map(name => (Object.hasOwn(members, name) && isScalar(members[name])
      ? JSON.stringify(members[name]) : ""));
    this.#note(index, `${kind} ${values.join("\n")}`);
    const { id } = members;
    if (typeof id === "string" || typeof id === "number") this.#match(index, JSON.stringify(id), members);
  }

  #note(index, key) {
    const before = this.#latest.get(key);
    this.#latest.set(key, index);
    if (before === undefined) return;
    this.previous[index] = before;
    this.next[before] = index;
  }

  #match(index, id, members) {
    if (this.#events.kind(index).startsWith("out")) return this.#unanswered.set(id, index);
    const request = this.#unanswered.get(id);
    if (request === undefined || Object.hasOwn(members, "method")) return;
    this.#unanswered.delete(id);
    this.request[index] = request;
    this.reply[request] = index;
    this.latencies.push(this.latency(index));
  }

  /** The time between a reply and its request, in microseconds. */
  latency(reply) {
    return Math.max(0, this.#events.times[reply] - this.#events.times[this.request[reply]]);
  }
}
