// How messages relate: the previous one of the same kind, and replies.

/** The members that make up the kind of a message, as in `MessageChanges`. */
const KIND_MEMBERS = ["type", "event", "op", "method", "channel", "topic", "stream", "symbol"];
/** Longer messages are not parsed. */
const READ_CHARACTERS = 256 << 10;
/** The time that reading takes at once. */
const READ_MS = 12;

const isScalar = value => value === null || typeof value !== "object";

/** Reads all messages in the background, in their order. Those of different connections are not related. */
export class Relations {
  /** For each event: the previous one of its kind, the next one, the request it answers, and its reply; or -1. */
  previous = [];
  next = [];
  request = [];
  reply = [];
  /** The number of events read. */
  readCount = 0;

  #events;
  /** The latest message of each kind, and requests by their ids, with the numbers of their connections. */
  #latest = new Map();
  #unanswered = new Map();
  #isReading = false;
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
    if (!this.#isReading) setTimeout(() => this.#turn());
    this.#isReading = true;
  }

  #turn() {
    const end = performance.now() + READ_MS;
    while (!this.isComplete && performance.now() < end) this.#read(this.readCount++);
    this.#isReading = !this.isComplete;
    if (this.#isReading) setTimeout(() => this.#turn());
    this.#didRead();
  }

  get isComplete() {
    return this.readCount >= this.previous.length;
  }

  /** Forgets the first events. */
  drop(count) {
    this.readCount = Math.max(0, this.readCount - count);
    for (const name of ["previous", "next", "request", "reply"]) {
      this[name] = this[name].slice(count).map(index => Math.max(-1, index - count));
    }
    for (const map of [this.#latest, this.#unanswered]) {
      for (const [key, index] of map) {
        if (index < count) map.delete(key);
        else map.set(key, index - count);
      }
    }
  }

  #read(index) {
    const { direction, word } = this.#events.kind(index);
    if (word !== "text" || this.#events.sizes[index] > READ_CHARACTERS) return;
    let value;
    try {
      value = JSON.parse(this.#events.value(index));
    } catch {
      return;
    }
    const members = isScalar(value) || Array.isArray(value) ? {} : value;
    const values = KIND_MEMBERS.map(name => (Object.hasOwn(members, name) && isScalar(members[name])
      ? JSON.stringify(members[name]) : ""));
    const { number } = this.#events.connection(index);
    this.#note(index, `${number} ${direction} ${values.join("\n")}`);
    const { id } = members;
    if (typeof id === "string" || typeof id === "number") {
      this.#match(index, `${number} ${JSON.stringify(id)}`, members);
    }
  }

  #note(index, key) {
    const before = this.#latest.get(key);
    this.#latest.set(key, index);
    if (before === undefined) return;
    this.previous[index] = before;
    this.next[before] = index;
  }

  #match(index, id, members) {
    if (this.#events.kind(index).direction === "out") return this.#unanswered.set(id, index);
    const request = this.#unanswered.get(id);
    if (request === undefined || Object.hasOwn(members, "method")) return;
    this.#unanswered.delete(id);
    this.request[index] = request;
    this.reply[request] = index;
  }

  /** The times of the replies on the connections shown, in microseconds, sorted. */
  get latencies() {
    const latencies = [];
    for (let index = 0; index < this.readCount; index += 1) {
      if (this.request[index] >= 0 && this.#events.isShown(index)) latencies.push(this.latency(index));
    }
    return Float64Array.from(latencies).sort();
  }

  /** The time between a reply and its request, in microseconds. */
  latency(reply) {
    return Math.max(0, this.#events.times[reply] - this.#events.times[this.request[reply]]);
  }
}
