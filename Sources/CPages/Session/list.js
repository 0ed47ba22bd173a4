// The list of messages. Only rows in view exist.

import { html } from "../Shared/elements.js";
import { appendPieces, cell, entryPieces, excerpt, isJSONEntry } from "../Shared/pieces.js";
import { hexDigits } from "../Shared/text.js";
import { clockTime, shortSize, time } from "../Shared/units.js";

/** Browsers limit the height of elements. Beyond this height, scrolling is proportional. */
const MAXIMUM_HEIGHT = 8_000_000;
/** The limits of a row's text. */
const ROW = { characters: 300, lines: 3, colors: 60 };
/** The characters before a match, if it is beyond the beginning. */
const BEFORE_MATCH = 24;
/** Messages up to this length are parsed for colors. */
const COLORED_CHARACTERS = 16 << 10;
const MAXIMUM_EXCERPTS = 1000;
/** The first characters of a message that its row can show the surroundings of a match from. */
const MATCH_CHARACTERS = 64 << 10;
/** The number of rows that are printed. */
const PRINTED_ROWS = 5000;
const ARROWS = { out: ["→", "sent"], in: ["←", "received"] };

/** A virtual list of the events with these indices. */
export class List {
  /** The indices of the events shown. */
  rows = [];
  /** The index of the selected event, or -1. */
  selected = -1;
  /** Whether the list follows rows that are added while its end is in view. */
  canFollow = false;

  #element;
  #sizer = html("div", { class: "sizer" });
  #layer = html("div", { class: "layer" });
  #events;
  #relations;
  #pattern = null;
  /** The texts of rows by their events. */
  #excerpts = new Map();
  #didSelect;
  #didScroll;
  #isScheduled = false;
  #isPrinting = false;
  /** Whether the list stays at its end when rows are added. */
  #isFollowing = false;
  #seenCount = 0;

  /** Calls `didSelect(index)` when the user selects an event, and `didScroll()` when other rows are in view. */
  constructor(element, { didSelect, didScroll }) {
    this.#element = element;
    this.#didSelect = didSelect;
    this.#didScroll = didScroll;
    this.#sizer.append(this.#layer);
    element.append(this.#sizer);
    element.addEventListener("scroll", () => {
      if (this.canFollow) this.#isFollowing = element.scrollTop + element.clientHeight >= element.scrollHeight - 2;
      this.update();
    }, { passive: true });
    // A row may be drawn again between the press and the click.
    let pressed = -1;
    const indexAt = target => Number(target.closest(".row")?.dataset.index ?? -1);
    element.addEventListener("pointerdown", ({ target }) => { pressed = indexAt(target); });
    element.addEventListener("click", ({ target }) => {
      const index = indexAt(target);
      if (Math.max(index, pressed) >= 0) this.select(index >= 0 ? index : pressed);
    });
    new ResizeObserver(() => this.update()).observe(element);
  }

  /** Shows events with their relations. */
  show(events, relations) {
    this.#events = events;
    this.#relations = relations;
    this.filter([], null);
    this.selected = -1;
    this.#element.scrollTop = 0;
    this.#isFollowing = this.canFollow;
    this.update();
  }

  /** Stays at the end from now on. */
  follow() {
    this.#isFollowing = this.canFollow;
    this.update();
  }

  /** The number of rows that were added after the last one that was in view, while the list did not follow. */
  get newCount() {
    return this.rows.length - this.#seenCount;
  }

  /** Counts the rows as seen. */
  markSeen() {
    this.#seenCount = this.rows.length;
  }

  /** Forgets the first events, whose rows `dropRows()` drops. It returns their number. */
  drop(count, dropRows) {
    const top = this.#top;
    const dropped = dropRows();
    this.selected = Math.max(-1, this.selected - count);
    this.#seenCount = Math.max(0, this.#seenCount - dropped);
    this.#excerpts.clear();
    if (!this.#isFollowing) this.#top = Math.max(0, top - dropped * this.#rowHeight);
    this.#draw();
  }

  /** Shows events that match a pattern, which is marked. */
  filter(rows, pattern) {
    this.rows = rows;
    this.#pattern = pattern;
    this.#excerpts.clear();
    this.update();
  }

  /** Draws the rows in view again, in the next frame. */
  update() {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    requestAnimationFrame(() => {
      this.#isScheduled = false;
      this.#draw();
    });
  }

  /** The first and the last row in view, as places in `rows`. */
  get visibleRange() {
    const first = Math.floor(this.#top / this.#rowHeight);
    const last = Math.floor((this.#top + this.#element.clientHeight - 1) / this.#rowHeight);
    return [Math.max(0, first), Math.min(this.rows.length - 1, last)];
  }

  /** Selects an event, and scrolls to it if it is in the list. */
  select(index) {
    this.selected = index;
    const place = this.placeOf(index);
    this.#isFollowing = this.canFollow && place === this.rows.length - 1;
    if (this.rows[place] === index) this.scrollTo(place);
    this.update();
    this.#didSelect(index);
  }

  /** Whether the selected event is in the list. */
  get isListed() {
    return this.selected >= 0 && this.rows[this.placeOf(this.selected)] === this.selected;
  }

  /** Moves the selection with a key. */
  press(event) {
    const page = Math.max(1, Math.floor(this.#element.clientHeight / this.#rowHeight) - 1);
    const steps = {
      ArrowUp: -1, ArrowDown: 1, PageUp: -page, PageDown: page, Home: -Infinity, End: Infinity };
    if (!(event.key in steps) || !this.rows.length) return;
    event.preventDefault();
    const place = this.placeOf(this.selected);
    // Without a selection, the keys begin at the rows in view.
    const start = this.selected < 0 ? this.visibleRange[0] - Math.sign(steps[event.key])
      : this.isListed || steps[event.key] < 0 ? place : place - 1;
    this.select(this.rows[Math.max(0, Math.min(this.rows.length - 1, start + steps[event.key]))]);
  }

  /** The place in `rows` of an event, or of the next one in the list. */
  placeOf(index) {
    let [low, high] = [0, this.rows.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.rows[middle] < index) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Scrolls as little as possible to show a row, or to the middle if it is far away. */
  scrollTo(place) {
    const height = this.#element.clientHeight;
    const start = place * this.#rowHeight;
    const end = start + this.#rowHeight;
    if (start >= this.#top && end <= this.#top + height) return;
    const isNear = end > this.#top - height && start < this.#top + 2 * height;
    this.#top = !isNear ? (start + end - height) / 2 : start < this.#top ? start : end - height;
  }

  get #rowHeight() {
    return parseFloat(getComputedStyle(this.#element).getPropertyValue("--row-height"));
  }

  get #wholeHeight() {
    return this.rows.length * this.#rowHeight;
  }

  /** The number of pixels above the view if the list had its whole height. */
  get #top() {
    return this.#element.scrollTop * this.#scale;
  }

  set #top(top) {
    // The element may have a different height until the next frame.
    this.#sizer.style.height = `${Math.min(this.#wholeHeight, MAXIMUM_HEIGHT)}px`;
    this.#element.scrollTop = top / this.#scale;
  }

  get #scale() {
    const height = this.#element.clientHeight;
    return this.#wholeHeight <= MAXIMUM_HEIGHT ? 1 : (this.#wholeHeight - height) / (MAXIMUM_HEIGHT - height);
  }

  /** Draws all rows instead of those in view, up to a number. Returns how many are left out. */
  print() {
    this.#isPrinting = true;
    this.#draw();
    return Math.max(0, this.rows.length - PRINTED_ROWS);
  }

  /** Draws the rows in view again. */
  endPrinting() {
    this.#isPrinting = false;
    this.update();
  }

  #draw() {
    if (!this.#events) return;
    const rowHeight = this.#rowHeight;
    this.#sizer.style.height = `${Math.min(this.#wholeHeight, MAXIMUM_HEIGHT)}px`;
    if (this.#isFollowing) this.#top = this.#wholeHeight;
    if (this.#isFollowing || this.visibleRange[1] >= this.rows.length - 1) this.markSeen();
    const [first, last] = this.#isPrinting ? [0, Math.min(this.rows.length, PRINTED_ROWS) - 1] : this.visibleRange;
    const top = this.#top;
    const rows = [];
    for (let place = first; place <= last; place += 1) {
      const row = this.#row(this.rows[place], place);
      row.style.top = `${place * rowHeight - top}px`;
      rows.push(row);
    }
    this.#layer.replaceChildren(...rows);
    if (this.#layer.querySelector("#selected-row")) {
      this.#element.setAttribute("aria-activedescendant", "selected-row");
    } else {
      this.#element.removeAttribute("aria-activedescendant");
    }
    this.#didScroll();
  }

  #row(index, place) {
    const entry = this.#events.entry(index);
    const [arrow, word] = ARROWS[entry.direction];
    const row = html("div", {
      class: ["row", entry.type, entry.direction, ...entry.marks].join(" "), role: "option", "data-index": index,
      "aria-setsize": this.rows.length, "aria-posinset": place + 1, "aria-selected": index === this.selected });
    if (index === this.selected) row.id = "selected-row";
    const direction = html("span", { class: "direction", role: "img", "aria-label": word }, arrow);
    const data = cell("data", "");
    if (!this.#events.shown && this.#events.connections.length > 1) data.append(cell("owner", entry.connection.name), " ");
    for (const mark of entry.marks) data.append(cell("note", mark), " ");
    if (!this.#excerpts.has(index)) {
      if (this.#excerpts.size >= MAXIMUM_EXCERPTS) this.#excerpts.clear();
      this.#excerpts.set(index, this.#excerpt(entry));
    }
    appendPieces(data, this.#excerpts.get(index), this.#pattern, ROW.colors);
    // The relations of the latest events may be unknown.
    const latency = this.#relations.request[index] >= 0 ? time(this.#relations.latency(index)) : "";
    row.append(
      cell("number", entry.number ? String(entry.number) : ""), cell("time", clockTime(entry.time)), direction,
      data, cell("latency", latency), cell("size", entry.isMessage ? shortSize(entry.bytes) : ""));
    return row;
  }

  /** The beginning of an entry on one line, or the surroundings of the first match. */
  #excerpt(entry) {
    let whole = Array.from(this.#beginning(entry));
    const text = whole.map(piece => piece[1]).join("");
    const match = this.#pattern ? text.search(this.#pattern) : -1;
    // A match outside the beginning, or far from it, is shown without colors.
    if (match > BEFORE_MATCH * 3) whole = [["quiet", "… "], ["", text.slice(match - BEFORE_MATCH).toWellFormed()]];
    const { pieces } = excerpt(whole, ROW);
    return pieces.map(([kind, piece]) => [kind, piece.replace(/\s+/g, " ")]);
  }

  *#beginning(entry) {
    const isSearched = this.#pattern !== null;
    const isJSON = entry.isMessage && entry.bytes <= 4 * COLORED_CHARACTERS && isJSONEntry(entry, COLORED_CHARACTERS);
    const limit = isSearched ? MATCH_CHARACTERS : ROW.characters;
    if (entry.opcode === "binary") {
      yield ["quiet", hexDigits(entry.beginning(64))];
      return;
    }
    if (entry.opcode === "text" && !isJSON) {
      yield ["", entry.beginning(limit)];
      return;
    }
    if (!entry.isMessage) yield ["type", `${entry.type} `];
    let length = 0;
    for (const piece of entryPieces(entry, { isJSON, isIndented: false, lineBytes: 16 })) {
      yield piece;
      length += piece[1].length;
      if (length > limit) return;
    }
  }
}
