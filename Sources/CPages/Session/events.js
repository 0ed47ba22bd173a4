// The connections of the session, whose events are read from the page when they are needed.

import { eventWords } from "../Shared/entries.js";
import { hexDigits, parseBase64 } from "../Shared/text.js";
import { handshakeText } from "./handshake.js";

/** The beginning of an event's line: microseconds since the connection began, direction, type, number, and size. */
const LINE = /\[(-?\d+),"(out|in) (text|binary|ping|pong|close|open)",(\d+),(\d+),/y;

/** A message or another event of a connection. Its data are decoded when they are used. */
class Entry {
  #events;
  #data;

  constructor(events, index, direction, word) {
    this.#events = events;
    this.index = index;
    /** The number at the prompt, or 0 for other events than messages. */
    this.number = events.numbers[index];
    this.direction = direction;
    this.isMessage = word === "text" || word === "binary";
    this.type = this.isMessage ? "message" : word;
    this.opcode = this.isMessage ? word : undefined;
    this.bytes = events.sizes[index];
  }

  /** The time in milliseconds since 1970. */
  get time() {
    return (this.#events.start + this.#events.times[this.index]) / 1000;
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
    return this.type === "open" ? handshakeText(this.#events.facts) : "";
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

/** The events of a connection. They can be added at any time. */
export class Events {
  /** The URL, times, and counts, without secrets. */
  facts;
  /** The time of the first event, in microseconds since 1970. */
  start;
  /** The time of each event, in microseconds since the first one. */
  times = [];
  /** The number of each message, and 0 for other events. */
  numbers = [];
  /** The size of each message in bytes. For close frames, the code. */
  sizes = [];

  #elements;
  #kinds = [];
  #chunks = [];
  #chunkOfEvent = [];
  #offsets = [];

  /** `elements` are the script elements with the facts, and with the events as JSON arrays. */
  constructor(facts, elements) {
    this.facts = facts;
    this.start = facts.start_us;
    this.#elements = elements;
  }

  get count() {
    return this.times.length;
  }

  /** The duration in microseconds. */
  get duration() {
    return this.times.reduce((latest, time) => Math.max(latest, time), 0);
  }

  /** Finds the events, without decoding them. */
  read() {
    for (const element of this.#elements.splice(0)) this.add(element.textContent);
  }

  /** Adds the events of a text, each on a line after the first one. */
  add(text) {
    this.#chunks.push(text);
    for (let start = text.indexOf("\n") + 1; start > 0; start = text.indexOf("\n", start) + 1) {
      LINE.lastIndex = start;
      const match = LINE.exec(text);
      if (!match) continue;
      this.times.push(Number(match[1]));
      this.#kinds.push(`${match[2]} ${match[3]}`);
      this.numbers.push(Number(match[4]));
      this.sizes.push(Number(match[5]));
      this.#chunkOfEvent.push(this.#chunks.length - 1);
      this.#offsets.push(start);
    }
  }

  /** The direction and type of an event, such as `out text`. */
  kind(index) {
    return this.#kinds[index];
  }

  entry(index) {
    const [direction, word] = this.#kinds[index].split(" ");
    return new Entry(this, index, direction, word);
  }

  /** The last member of an event. */
  value(index) {
    const text = this.#chunks[this.#chunkOfEvent[index]];
    const start = this.#offsets[index];
    const end = text.indexOf("\n", start);
    const line = text.slice(start, text[end - 1] === "," ? end - 1 : end);
    return JSON.parse(line)[4];
  }

  /** The first characters of the literal of the last member of an event, or `undefined` if it is not longer. */
  literalBeginning(index, length) {
    const text = this.#chunks[this.#chunkOfEvent[index]];
    LINE.lastIndex = this.#offsets[index];
    LINE.exec(text);
    const start = LINE.lastIndex + 1;
    return start + length < text.indexOf("\n", start) - 3 ? text.slice(start, start + length) : undefined;
  }

  /** The close frame or the end of the connection, in words, or an empty text. */
  get ending() {
    const index = this.#kinds.findLastIndex(kind => kind.endsWith("close"));
    return index < 0 ? "" : eventWords(this.entry(index));
  }
}

/** The connections in the page. */
export function connections() {
  const elements = [];
  for (const element of document.querySelectorAll("script.connection, script.events")) {
    if (element.className === "events") elements.at(-1).events.push(element);
    else elements.push({ facts: JSON.parse(element.textContent), events: [] });
  }
  return elements.map(({ facts, events }) => new Events(facts, events));
}
