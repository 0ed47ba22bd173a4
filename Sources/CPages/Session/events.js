// The connections of the session and their events, whose data are decoded when they are used.

import { eventWords } from "../Shared/entries.js";
import { hexDigits, parseBase64 } from "../Shared/text.js";
import { handshakeText } from "./handshake.js";

/** The text that a page holds in bytes, in which each event counts with these bytes for its place in lists. */
const MAXIMUM_BYTES = 64 << 20;
const EVENT_BYTES = 128;
/** Characters that make a text take two bytes for each. */
const WIDE = /[^\0-\xff]/;
/** An event's line: microseconds since the connection began, direction, type, and marks, number, and size. */
const LINE = /\[(-?\d+),"((?:out|in) (?:text|binary|ping|pong|close|open|error|omitted)[ \w]*)",(\d+),(\d+),/y;
const kinds = new Map();

/** The kind of events with a name such as `out text edited`. */
function kindNamed(name) {
  let kind = kinds.get(name);
  if (!kind) {
    const [direction, word, ...marks] = name.split(" ");
    kind = { direction, word, isMessage: word === "text" || word === "binary", marks };
    kinds.set(name, kind);
  }
  return kind;
}

/** A message or another event of a connection. Its data are decoded when they are used. */
class Entry {
  #events;
  #data;

  constructor(events, index, { direction, word, isMessage, marks }) {
    this.#events = events;
    this.index = index;
    /** The number at the prompt, or 0 for other events than messages. */
    this.number = events.numbers[index];
    this.direction = direction;
    this.isMessage = isMessage;
    /** What wsx or its user did to a message, such as `edited`. */
    this.marks = marks;
    this.type = this.isMessage ? "message" : word;
    this.opcode = this.isMessage ? word : undefined;
    this.bytes = events.sizes[index];
  }

  /** The time in milliseconds since 1970. */
  get time() {
    return this.#events.times[this.index] / 1000;
  }

  /** The text, or the bytes of a binary message. */
  get data() {
    this.#data ??= this.opcode === "binary" ? parseBase64(this.#value) : this.#value;
    return this.#data;
  }

  /** The first characters or bytes of the data. The rest of them is not decoded. */
  beginning(length) {
    if (this.bytes <= length) return this.data;
    const isBinary = this.opcode === "binary";
    const literal = this.#data === undefined
      ? this.#events.literalBeginning(this.index, isBinary ? Math.ceil(length / 3) * 4 : length) : undefined;
    if (isBinary) return (literal === undefined ? this.data : parseBase64(literal)).subarray(0, length);
    const text = literal === undefined ? this.data.slice(0, length) : JSON.parse(`"${withoutPartialEscape(literal)}"`);
    // Do not split a surrogate pair.
    return /[\ud800-\udbff]/.test(text.charAt(text.length - 1)) ? text.slice(0, -1) : text;
  }

  /** The request and the response, for the event `open`. */
  get details() {
    return this.type === "open" ? handshakeText(this.connection.facts) : "";
  }

  get connection() {
    return this.#events.connection(this.index);
  }

  // The members that `eventWords` reads.
  get code() {
    return this.bytes || undefined;
  }

  get reason() {
    return this.#value;
  }

  get url() {
    return this.#value;
  }

  get message() {
    if (this.type !== "ping" && this.type !== "pong") return this.#value;
    const bytes = parseBase64(this.#value);
    const text = new TextDecoder().decode(bytes);
    return /^[\x20-\x7e]*$/.test(text) ? text : hexDigits(bytes);
  }

  get #value() {
    return this.#events.value(this.index);
  }
}

/** The beginning of a JSON string without an escape that it contains in part. */
function withoutPartialEscape(literal) {
  const cut = /\\u[\da-f]{0,3}$|\\$/i.exec(literal.slice(-5));
  if (!cut) return literal;
  const end = literal.length - cut[0].length;
  let start = end;
  while (literal[start - 1] === "\\") start -= 1;
  return (end - start) % 2 ? literal : literal.slice(0, end);
}

/** A connection, or none, which has the events that belong to no connection. */
export class Connection {
  /** What is known about it, without secrets. */
  facts;
  /** The size of the facts in bytes. */
  size;
  /** The number among all connections. */
  number = 0;
  /** The time of the first event, and the latest time of an event, in microseconds since 1970. */
  start;
  end;
  /** The numbers of messages and bytes in each direction, including those that the page has dropped. */
  counts = { out: { messages: 0, bytes: 0 }, in: { messages: 0, bytes: 0 } };
  /** The number of its events in the page. */
  eventCount = 0;
  /** The close frame or the end of the connection, in words, or an empty text. */
  ending = "";
  /** Whether it is open while the page is live. */
  isOpen = false;

  constructor(facts) {
    this.facts = facts;
    this.size = JSON.stringify(facts).length + EVENT_BYTES;
    this.start = this.end = facts.start_us;
  }

  /** `client 3`, or the number among all connections. */
  get name() {
    return this.facts.client ? `client ${this.facts.client}` : this.number ? `${this.number}` : "";
  }
}

/** The events of all connections in the order of their times. They can be added at any time. */
export class Events {
  connections = [];
  /** The number of messages that are not in the page because it was full. */
  omittedCount = 0;
  /** The connection shown, or `null` for all. */
  shown = null;
  /** What all connections are called. */
  title = "All connections";
  /** The connection of events without one. */
  none = new Connection({ url: "", start_us: 0 });

  /** The time of each event in microseconds since 1970. */
  times = [];
  /** The number of each message, and 0 for other events. */
  numbers = [];
  /** The size of each message in bytes. For close frames, the code. */
  sizes = [];
  #kinds = [];
  #connections = [];
  #chunks = [];
  #offsets = [];
  /** The chunks in order, with the numbers of their events, and what they count of the limit. */
  #parts = [];
  #size = 0;
  #connectionCount = 0;

  get count() {
    return this.times.length;
  }

  /** Adds a connection, which has no events yet. */
  open(connection) {
    this.#connectionCount += 1;
    this.#size += connection.size;
    connection.number = this.#connectionCount;
    this.connections.push(connection);
  }

  get #columns() {
    return [this.times, this.numbers, this.sizes, this.#kinds, this.#connections, this.#chunks, this.#offsets];
  }

  /** The time that the timeline begins with, in microseconds since 1970. */
  get start() {
    const start = this.shown ? this.shown.start : this.connections.reduce(
      (earliest, { start }) => Math.min(earliest, start), this.connections[0]?.start ?? 0);
    return this.omittedCount ? Math.max(start, this.times[0] ?? 0) : start;
  }

  /** The time between the start and the latest event, in microseconds. */
  get duration() {
    const connections = this.shown ? [this.shown] : this.connections;
    return Math.max(0, connections.reduce((latest, { end }) => Math.max(latest, end), 0) - this.start);
  }

  /** Whether an event belongs to the connection shown. */
  isShown(index) {
    return this.shown === null || this.#connections[index] === this.shown || this.#connections[index] === this.none;
  }

  /**
   * Adds the events of a text, each on a line after the first one. Their connection is the same, or they are an array
   * with the connection of each.
   */
  add(text, owner) {
    const before = this.count;
    for (let start = text.indexOf("\n") + 1; start > 0; start = text.indexOf("\n", start) + 1) {
      LINE.lastIndex = start;
      const match = LINE.exec(text);
      if (!match) continue;
      const connection = Array.isArray(owner) ? owner[this.count - before] : owner;
      const kind = kindNamed(match[2]);
      this.times.push(connection.start + Number(match[1]));
      this.numbers.push(Number(match[3]));
      this.sizes.push(Number(match[4]));
      this.#kinds.push(kind);
      this.#connections.push(connection);
      this.#chunks.push(text);
      this.#offsets.push(start);
      this.#note(connection, kind);
    }
    const count = this.count - before;
    const size = text.length * (WIDE.test(text) ? 2 : 1) + count * EVENT_BYTES;
    this.#parts.push({ count, size });
    this.#size += size;
  }

  #note(connection, { direction, word, isMessage }) {
    const index = this.count - 1;
    connection.eventCount += 1;
    connection.end = Math.max(connection.end, this.times[index]);
    if (isMessage) connection.counts[direction].messages += 1;
    if (isMessage) connection.counts[direction].bytes += this.sizes[index];
    if (word === "close") connection.ending = eventWords(this.entry(index));
  }

  /** Sorts the events of several connections by their times. */
  sort() {
    const order = Array.from(this.times.keys()).sort((one, other) => this.times[one] - this.times[other]);
    for (const column of this.#columns) {
      const sorted = order.map(index => column[index]);
      for (const [index, value] of sorted.entries()) column[index] = value;
    }
  }

  /** Drops the oldest events if the page is full. Returns their number. */
  trim() {
    let parts = 0;
    let size = this.#size;
    if (size <= MAXIMUM_BYTES) return 0;
    while (size > MAXIMUM_BYTES * 0.875 && parts < this.#parts.length - 1) size -= this.#parts[parts++].size;
    return this.#drop(parts);
  }

  /** Drops all events and connections. Returns the number of events. */
  clear() {
    for (const connection of this.connections) connection.isOpen = false;
    this.shown = null;
    const count = this.#drop(this.#parts.length);
    this.omittedCount = this.#connectionCount = this.#size = 0;
    return count;
  }

  /** Drops the first chunks, and connections that ended in them. */
  #drop(parts) {
    const count = this.#parts.splice(0, parts).reduce((sum, part) => {
      this.#size -= part.size;
      return sum + part.count;
    }, 0);
    for (let index = 0; index < count; index += 1) {
      this.#connections[index].eventCount -= 1;
      if (this.#kinds[index].isMessage) this.omittedCount += 1;
    }
    for (const column of this.#columns) column.splice(0, count);
    this.connections = this.connections.filter(connection => {
      const isKept = connection.eventCount || connection.isOpen || connection === this.shown;
      if (!isKept) this.#size -= connection.size;
      return isKept;
    });
    return count;
  }

  /** The direction and type of an event: `{ direction, word, isMessage, marks }`. */
  kind(index) {
    return this.#kinds[index];
  }

  connection(index) {
    return this.#connections[index];
  }

  entry(index) {
    return new Entry(this, index, this.#kinds[index]);
  }

  /** The event before another one of the same connection, or -1. */
  before(index) {
    return index ? this.#connections.lastIndexOf(this.#connections[index], index - 1) : -1;
  }

  /** The line of an event, which is a JSON array. */
  line(index) {
    const text = this.#chunks[index];
    const end = text.indexOf("\n", this.#offsets[index]);
    return text.slice(this.#offsets[index], text[end - 1] === "," ? end - 1 : end);
  }

  /** The last member of an event. */
  value(index) {
    return JSON.parse(this.line(index))[4];
  }

  /** The first characters of the literal of the last member of an event, or `undefined` if it is not longer. */
  literalBeginning(index, length) {
    const text = this.#chunks[index];
    LINE.lastIndex = this.#offsets[index];
    LINE.exec(text);
    const start = LINE.lastIndex + 1;
    return start + length < text.indexOf("\n", start) - 3 ? text.slice(start, start + length) : undefined;
  }
}

/** The events in the page. */
export function savedEvents() {
  const events = new Events();
  let connection = events.none;
  for (const element of document.querySelectorAll("script.connection, script.events")) {
    if (element.className === "events") {
      events.add(element.textContent, connection);
      continue;
    }
    const facts = JSON.parse(element.textContent || "null");
    connection = facts && !("omitted" in facts) ? new Connection(facts) : events.none;
    if (connection !== events.none) {
      events.open(connection);
    } else if (facts) {
      events.omittedCount = facts.omitted;
      connection.start = facts.start_us;
    }
  }
  if (events.connections.length > 1) events.sort();
  return events;
}
