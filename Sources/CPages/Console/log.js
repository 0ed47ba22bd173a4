// The log: its latest entries.

import { byteCount, now } from "../Shared/units.js";

/** The maximum number of entries to keep. */
export const MAXIMUM_ENTRIES = 5000;
/** The maximum size of messages to keep, in bytes, unless the latest message alone is larger. */
export const MAXIMUM_BYTES = 64 << 20;

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
