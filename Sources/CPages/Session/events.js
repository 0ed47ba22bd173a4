// The connections of the session, whose events are read from the page when they are needed.

import { eventWords } from "../Shared/entries.js";
import { hexDigits, parseBase64 } from "../Shared/text.js";

/** The beginning of an event's line: microseconds since the connection began, direction, type, and size. */
const LINE = /\[(-?\d+),"(out|in) (text|binary|ping|pong|close|open)",(\d+),/y;

/** A message or another event of a connection. Its data are decoded when they are used. */
class Entry {
  #events;
  #data;

  constructor(events, index, direction, word) {
    this.#events = events;
    this.number = index + 1;
    this.direction = direction;
    this.isMessage = word === "text" || word === "binary";
    this.type = this.isMessage ? "message" : word;
    this.opcode = this.isMessage ? word : undefined;
    this.bytes = events.sizes[index];
  }

  /** The time in milliseconds since 1970. */
  get time() {
    return (this.#events.start + this.#events.times[this.number - 1]) / 1000;
  }

  /** The text, or the bytes of a binary message. */
  get data() {
    this.#data ??= this.opcode === "binary" ? parseBase64(this.#value) : this.#value;
    return this.#data;
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
    return this.#events.value(this.number - 1);
  }
}

/** The events of a connection. */
export class Events {
  /** The URL, times, and counts, without secrets. */
  facts;
  /** The time of the first event, in microseconds since 1970. */
  start;
  /** The time of each event, in microseconds since the first one. */
  times = [];
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
    if (this.#chunks.length) return;
    for (const element of this.#elements) {
      const text = element.textContent;
      this.#chunks.push(text);
      for (let start = text.indexOf("\n") + 1; start > 0; start = text.indexOf("\n", start) + 1) {
        LINE.lastIndex = start;
        const match = LINE.exec(text);
        if (!match) continue;
        this.times.push(Number(match[1]));
        this.#kinds.push(`${match[2]} ${match[3]}`);
        this.sizes.push(Number(match[4]));
        this.#chunkOfEvent.push(this.#chunks.length - 1);
        this.#offsets.push(start);
      }
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
    return JSON.parse(line)[3];
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
