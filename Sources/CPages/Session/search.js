// The search: the rows that the controls ask for.

import { isPressed } from "../Shared/controls.js";
import { byID } from "../Shared/elements.js";
import { Filter, KINDS, SEARCHED } from "../Shared/filter.js";
import { visible } from "../Shared/text.js";
import { Automaton } from "./automaton.js";

/** The time that filtering takes at once, looked at after some messages or after one of this size. */
const FILTER_MS = 25;
const FILTER_STEP = { messages: 64, bytes: 64 << 10 };

/** Finds the rows that the controls ask for, in turns. */
export class Search {
  /** The indices of the events found. */
  rows = [];
  /** The number of events that were searched only at the beginning. */
  cutCount = 0;

  #events;
  #filter;
  #range;
  #didFind;
  #readCount = 0;
  #timer = 0;

  /** Calls `didFind()` after each turn of `read()`. */
  constructor(events, filter, range, didFind) {
    this.#events = events;
    this.#filter = filter;
    this.#range = range;
    this.#didFind = didFind;
  }

  get isComplete() {
    return this.#readCount === this.#events.count;
  }

  /** Searches the events that have not been read. */
  read() {
    if (!this.#timer) this.#turn();
  }

  stop() {
    clearTimeout(this.#timer);
  }

  /** Forgets the first events. Returns the number of their rows. */
  drop(count) {
    this.#readCount = Math.max(0, this.#readCount - count);
    const kept = this.rows.findIndex(index => index >= count);
    const dropped = this.rows.splice(0, kept < 0 ? this.rows.length : kept).length;
    for (let place = 0; place < this.rows.length; place += 1) this.rows[place] -= count;
    return dropped;
  }

  #turn() {
    const end = performance.now() + FILTER_MS;
    const { times, sizes } = this.#events;
    for (let isDue = false; !this.isComplete && !isDue; this.#readCount += 1) {
      const index = this.#readCount;
      isDue = (index % FILTER_STEP.messages === 0 || sizes[index] > FILTER_STEP.bytes) && performance.now() > end;
      if (!this.#events.isShown(index)) continue;
      if (this.#range && (times[index] < this.#range[0] || times[index] > this.#range[1])) continue;
      this.#read(this.#events.entry(index));
    }
    this.#timer = this.isComplete ? 0 : setTimeout(() => this.#turn());
    this.#didFind();
  }

  #read(entry) {
    const { pattern } = this.#filter;
    if (this.#filter.accepts(entry)) this.rows.push(entry.index);
    if (pattern && (entry.bytes > SEARCHED[entry.opcode] || pattern.isCut)) this.cutCount += 1;
    if (pattern) pattern.isCut = false;
  }
}

/** The filter of the controls, or `undefined` if its expression is invalid, which is shown. */
export function filterOfControls() {
  const words = byID("filter").value;
  const shown = Object.fromEntries(KINDS.map(kind => [kind, isPressed(`show-${kind}`)]));
  let filter;
  let problem = "";
  try {
    filter = new Filter({ words, shown, pattern: words && isPressed("regex") ? new Automaton(words) : undefined });
  } catch (error) {
    problem = `Invalid regular expression: ${visible(error.message)}`;
  }
  byID("filter").setAttribute("aria-invalid", String(!filter));
  byID("problem").textContent = problem;
  return filter;
}
