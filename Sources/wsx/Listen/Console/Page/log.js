// The log: its latest entries, and a filter for them.

import { byteCount, clockTime, eventTime, exactSize, hexDigits, now, toBase64 } from "./text.js";
import { decodedLiteral, escapedJSON, jsonEscapes, visible, withoutVisibleEscapes } from "./text.js";

/** The maximum number of entries to keep. */
export const MAXIMUM_ENTRIES = 5000;
/** The maximum size of messages to keep, in bytes, unless the latest message alone is larger. */
export const MAXIMUM_BYTES = 64 << 20;
/** The size of the searched beginning of a binary message, in bytes. */
const SEARCHED_BYTES = 64 << 10;
const latin1 = new TextDecoder("latin1");

// IANA WebSocket Close Code Number Registry.
const CLOSE_MEANINGS = {
  1000: "normal closure", 1001: "going away", 1002: "protocol error", 1003: "unsupported data", 1005: "no code",
  1006: "no close frame", 1007: "invalid payload", 1008: "policy violation", 1009: "message too big",
  1010: "mandatory extension missing", 1011: "internal error", 1012: "service restart", 1013: "try again later",
  1014: "bad gateway", 3000: "unauthorized", 3003: "forbidden", 3008: "timeout",
};

/** The latest entries, and the total traffic. The oldest entries are dropped when there are too many. */
export class Log {
  entries = [];
  keptBytes = 0;
  traffic = { out: { messages: 0, bytes: 0 }, in: { messages: 0, bytes: 0 } };
  #nextNumber = 0;
  /** The number of the first entry since the log was cleared. */
  #startNumber = 0;

  /** Adds `{ type, … }` with a number and a time. Drops the oldest entries when there are too many. */
  add(entry) {
    entry.number = this.#nextNumber++;
    entry.time = now();
    if (entry.type === "message") {
      entry.opcode = typeof entry.data === "string" ? "text" : "binary";
      entry.bytes = entry.opcode === "text" ? byteCount(entry.data) : entry.data.length;
      this.traffic[entry.direction].messages += 1;
      this.traffic[entry.direction].bytes += entry.bytes;
    }
    this.keptBytes += entry.bytes ?? 0;
    this.entries.push(entry);
    while (this.entries.length > MAXIMUM_ENTRIES || (this.keptBytes > MAXIMUM_BYTES && this.entries.length > 1)) {
      this.keptBytes -= this.entries.shift().bytes ?? 0;
    }
  }

  /** The number of the oldest entry, or of the next one if the log is empty. */
  get firstNumber() {
    return this.entries[0]?.number ?? this.#nextNumber;
  }

  /** The number of the next entry. */
  get nextNumber() {
    return this.#nextNumber;
  }

  /** The number of entries dropped since the log was cleared. */
  get droppedCount() {
    return this.firstNumber - this.#startNumber;
  }

  /** The entries starting at a number. */
  from(number) {
    return this.entries.slice(Math.max(0, number - this.firstNumber));
  }

  clear() {
    this.entries = [];
    this.keptBytes = 0;
    this.#startNumber = this.#nextNumber;
    for (const count of Object.values(this.traffic)) count.messages = count.bytes = 0;
  }
}

/** A filter for entries, with the words to find and the shown kinds `{ out, in, text, binary, events }`. */
export class Filter {
  constructor({ words, shown }) {
    this.pattern = words ? searchPattern(words) : null;
    this.isHex = /^[\da-f\s]*$/i.test(words);
    this.shown = shown;
  }

  accepts(entry) {
    if (entry.type === "message") {
      if (!this.shown[entry.direction] || !this.shown[entry.opcode]) return false;
    } else if (!this.shown.events) {
      return false;
    }
    if (this.pattern === null) return true;
    const contains = text => text.search(this.pattern) >= 0;
    if (entry.type !== "message") return contains(`${entry.type} ${eventWords(entry)}`);
    if (entry.opcode === "text") return contains(entry.data);
    const bytes = entry.data.subarray(0, SEARCHED_BYTES);
    return contains(latin1.decode(bytes)) || (this.isHex && contains(hexDigits(bytes)));
  }
}

/**
 * A pattern that finds words in what was received and in what is shown. These differ in escapes, and in whitespace
 * around the punctuation of JSON.
 */
function searchPattern(words) {
  const literal = text => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  // Escapes have the case of the character.
  const escapes = text => [text, text.toLowerCase(), text.toUpperCase()].map(jsonEscapes);
  const forms = text => [...new Set([text, ...escapes(text), text === "/" ? "\\/" : text])];
  const character = text => text === " " ? "\\s+" : `(?:${forms(text).map(literal).join("|")})`;
  const part = text => Array.from(text.replace(/\s+/g, " "), character).join("");
  const source = text => text.split(/\s*([{}[\],:])\s*/).filter(Boolean).map(part).join("\\s*");
  const variants = new Set([words, decodedLiteral(words), withoutVisibleEscapes(words)]);
  return new RegExp(Array.from(variants, source).join("|"), "giu");
}

/** The text of an entry other than a message. */
export function eventWords(entry) {
  switch (entry.type) {
    case "open": {
      const parts = [`${visible(entry.url)} in ${entry.milliseconds} ms`];
      if (entry.subprotocol) parts.push(`subprotocol ${visible(entry.subprotocol)}`);
      if (entry.extensions) parts.push(visible(entry.extensions));
      return parts.join(", ");
    }
    case "close": {
      const meaning = CLOSE_MEANINGS[entry.code];
      const reason = entry.reason ? `“${visible(entry.reason)}”` : "";
      return [entry.code, [meaning, reason].filter(Boolean).join(": ")].filter(Boolean).join(" ");
    }
    default:
      return visible(entry.message);
  }
}

/** The entry as one line of plain text, for the clipboard. */
export function plainLine(entry) {
  const arrow = { out: "→", in: "←" }[entry.direction] ?? "·";
  const start = `${clockTime(entry.time)} ${arrow} ${entry.opcode ?? entry.type}`;
  if (entry.type !== "message") return `${start}  ${eventWords(entry)}`;
  return `${start}  ${exactSize(entry.bytes)}  ${entry.opcode === "text" ? entry.data : hexDigits(entry.data)}`;
}

/** The entry as one line of JSON, in the form of `wsx connect --output json`. */
export function eventLine(entry) {
  const event = { type: entry.type, time: eventTime(entry.time) };
  switch (entry.type) {
    case "open":
      Object.assign(event, { url: entry.url });
      if (entry.subprotocol) event.subprotocol = entry.subprotocol;
      if (entry.extensions) event.extensions = entry.extensions;
      break;
    case "message":
      Object.assign(event, { direction: entry.direction, opcode: entry.opcode, bytes: entry.bytes });
      if (entry.opcode === "text") event.data = entry.data;
      else event.base64 = toBase64(entry.data);
      break;
    case "close":
      Object.assign(event, { direction: entry.direction, code: entry.code, reason: entry.reason, clean: entry.clean });
      break;
    default:
      Object.assign(event, { kind: entry.kind, message: entry.message });
  }
  return escapedJSON(event);
}

/** The first line of a recording. It makes `--input json` resend only sent messages. */
export function recordingLine() {
  return escapedJSON({ type: "recording", time: eventTime(now()) });
}
