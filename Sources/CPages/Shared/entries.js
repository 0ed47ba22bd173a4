// Entries, which are messages and events, as text.

import { escapedJSON, hexDigits, toBase64, visible } from "./text.js";
import { clockTime, eventTime, exactSize, now } from "./units.js";

// IANA WebSocket Close Code Number Registry.
const CLOSE_MEANINGS = {
  1000: "normal closure", 1001: "going away", 1002: "protocol error", 1003: "unsupported data", 1005: "no code",
  1006: "no close frame", 1007: "invalid payload", 1008: "policy violation", 1009: "message too big",
  1010: "mandatory extension missing", 1011: "internal error", 1012: "service restart", 1013: "try again later",
  1014: "bad gateway", 3000: "unauthorized", 3003: "forbidden", 3008: "timeout",
};

/** The text of an entry other than a message. */
export function eventWords(entry) {
  switch (entry.type) {
    case "open": {
      const duration = entry.milliseconds === undefined ? "" : ` in ${entry.milliseconds} ms`;
      const parts = [visible(entry.url) + duration];
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
