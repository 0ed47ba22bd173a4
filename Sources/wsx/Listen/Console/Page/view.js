// The log as it is seen: a row an entry, in blocks, of which only those in view are laid out and coloured.

import { eventWords } from "./log.js";
import { clockTime, dumpPieces, exactSize, isJSONStructure, jsonPieces, shortSize, visible } from "./text.js";

const ROWS_OF_A_BLOCK = 50;
/** So many rows are made at once: what comes faster than it can be shown waits in the log, which is bounded. */
const ROWS_OF_A_TURN = 1000;
/** What is shown of a message, and of one that is to be shown whole. */
const EXCERPT = { characters: 1000, lines: 24, colors: 400 };
const WHOLE = { characters: 1 << 20, lines: 50_000, colors: 20_000 };
/** Only shorter messages are laid out before somebody asks to see the whole: it is done for each that comes. */
const LAID_OUT_CHARACTERS = 16 << 10;
// Where lines are short, those of dumps are, too.
const narrow = matchMedia("(max-width: 44rem)");
const KEYS_UP = new Set(["ArrowUp", "PageUp", "Home"]);
/** So long after a key or the wheel, scrolling is by hand; it may be smooth. */
const HOLD_MS = 1000;
const ARROWS = { out: ["→", "sent"], in: ["←", "received"] };

/** Shows a ``Log`` through a ``Filter``, not more than once a frame. */
export class LogView {
  isPretty = true;
  isPaused = false;

  #log;
  #filter;
  #element;
  #content = document.createElement("div");
  #nextNumber = 0;
  #isScheduled = false;
  #isEmptied = false;
  #isFollowing = true;
  /** When somebody last did what can scroll up: content that grows or shrinks scrolls, too. */
  #holdTime = -Infinity;
  #wholeNumbers = new Set();
  #entries = new WeakMap();
  #colored = new WeakSet();
  #observer;

  /** `didChange()` is called after each change of what is shown, `didFollow()` when that is switched by scrolling. */
  constructor(element, log, filter, { didChange, didFollow }) {
    this.#element = element;
    this.#log = log;
    this.#filter = filter;
    this.didChange = didChange;
    this.didFollow = didFollow;
    const area = { root: element, rootMargin: "100%" };
    this.#observer = new IntersectionObserver(changes => this.#blocksMoved(changes), area);
    element.append(this.#content);
    element.classList.add("following");
    // It grows by rows, and when blocks that come into view get their true heights.
    new ResizeObserver(() => this.#isFollowing && this.#scrollToEnd()).observe(this.#content);
    narrow.addEventListener("change", () => this.rebuild());
    element.addEventListener("scroll", () => this.#scrolled(), { passive: true });
    element.addEventListener("wheel", ({ deltaY }) => deltaY < 0 && this.#takeHold(), { passive: true });
    element.addEventListener("touchmove", () => this.#takeHold(), { passive: true });
    element.addEventListener("keydown", ({ key }) => KEYS_UP.has(key) && this.#takeHold());
    // The scroll bar belongs to the element itself.
    element.addEventListener("pointerdown", ({ target }) => target === element && this.#takeHold());
  }

  /** Shows what has come, at the next frame. */
  update() {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    requestAnimationFrame(() => {
      this.#isScheduled = false;
      if (!this.isPaused || this.#isEmptied) {
        this.#isEmptied = false;
        this.#removeOld();
        this.#appendNew();
      }
      this.didChange();
    });
  }

  /** Shows everything anew, through another filter or in another form. */
  rebuild(filter = this.#filter) {
    this.#filter = filter;
    this.#observer.disconnect();
    this.#content.replaceChildren();
    this.#nextNumber = this.#log.firstNumber;
    this.#isEmptied = true;
    this.update();
  }

  /** Whether the view scrolls to what is new. */
  get isFollowing() {
    return this.#isFollowing;
  }

  set isFollowing(isFollowing) {
    this.#setFollowing(isFollowing);
    if (isFollowing) this.#scrollToEnd();
  }

  /** The number of rows. */
  get rowCount() {
    let count = 0;
    for (const block of this.#content.children) count += block.childElementCount;
    return count;
  }

  /** How many entries have come that are not shown yet, wanted or not. */
  get waitingCount() {
    return this.#log.nextNumber - Math.max(this.#nextNumber, this.#log.firstNumber);
  }

  /** The entries that the filter lets through. */
  get wantedEntries() {
    return this.#log.entries.filter(entry => this.#filter.accepts(entry));
  }

  /** The entry of a row. */
  entry(row) {
    return this.#entries.get(row);
  }

  /** The row that an element is in; null: it is in none. */
  row(element) {
    return element instanceof Element ? element.closest(".row") : null;
  }

  /** The row before (-1) or after (1) another; the first or the last if there is no other. */
  neighbor(row, step) {
    if (!row) return step > 0 ? this.#firstRow : this.#lastRow;
    if (step > 0) return row.nextElementSibling ?? row.parentElement.nextElementSibling?.firstElementChild ?? row;
    return row.previousElementSibling ?? row.parentElement.previousElementSibling?.lastElementChild ?? row;
  }

  /** Whether there is more of an entry than an excerpt. */
  canFold(row) {
    return row.classList.contains("folded") || this.isWhole(row);
  }

  /** Whether the whole entry is shown. */
  isWhole(row) {
    return this.#wholeNumbers.has(this.entry(row).number);
  }

  /** Shows the whole entry, or an excerpt. */
  toggleWhole(row) {
    if (!this.canFold(row)) return;
    const { number } = this.entry(row);
    if (!this.#wholeNumbers.delete(number)) this.#wholeNumbers.add(number);
    // Its end is not what is wanted now.
    this.#setFollowing(false);
    this.#paint(row, true);
    row.scrollIntoView({ block: "nearest" });
  }

  get #firstRow() {
    return this.#content.firstElementChild?.firstElementChild ?? null;
  }

  get #lastRow() {
    return this.#content.lastElementChild?.lastElementChild ?? null;
  }

  // MARK: Rows

  #removeOld() {
    const { firstNumber } = this.#log;
    for (let row = this.#firstRow; row && this.entry(row).number < firstNumber; row = this.#firstRow) {
      this.#wholeNumbers.delete(this.entry(row).number);
      if (row.contains(document.activeElement)) this.#element.focus({ preventScroll: true });
      const block = row.parentElement;
      row.remove();
      if (!block.childElementCount) {
        this.#observer.unobserve(block);
        block.remove();
      }
    }
    this.#nextNumber = Math.max(this.#nextNumber, firstNumber);
  }

  #appendNew() {
    let count = 0;
    for (const entry of this.#log.from(this.#nextNumber)) {
      this.#nextNumber = entry.number + 1;
      if (!this.#filter.accepts(entry)) continue;
      let block = this.#content.lastElementChild;
      if (!block || block.childElementCount >= ROWS_OF_A_BLOCK) {
        block = document.createElement("div");
        block.className = "block";
        this.#content.append(block);
        this.#observer.observe(block);
      }
      block.append(this.#makeRow(entry, this.#colored.has(block)));
      count += 1;
      if (count === ROWS_OF_A_TURN) return this.update();
    }
  }

  #makeRow(entry, isColored) {
    const row = document.createElement("article");
    const [arrow, word] = ARROWS[entry.direction] ?? ["·", ""];
    row.className = `row ${entry.type} ${entry.direction ?? ""}`;
    row.tabIndex = -1;
    const time = cell("time", clockTime(entry.time));
    const direction = cell("direction", arrow);
    direction.setAttribute("role", "img");
    direction.setAttribute("aria-label", word || "event");
    const size = cell("size", entry.type === "message" ? exactSize(entry.bytes) : "");
    row.append(time, direction, cell("kind", entry.opcode ?? entry.type), size, cell("data", ""));
    this.#entries.set(row, entry);
    this.#paint(row, isColored);
    return row;
  }

  /** Fills in what an entry says. The text is the same with colours and without, so that rows keep their height. */
  #paint(row, isColored) {
    const entry = this.entry(row);
    const target = row.querySelector(".data");
    const isWhole = this.#wholeNumbers.has(entry.number);
    const limit = limitOf(entry, isWhole ? WHOLE : EXCERPT);
    const { pieces, isCut } = excerpt(this.#pieces(entry, isWhole), limit);
    target.replaceChildren();
    appendPieces(target, pieces, isColored ? limit.colors : 0);
    row.classList.toggle("folded", isCut && !isWhole);
    if (!isCut) return;
    if (isWhole) return target.append(cell("rest", `… ${exactSize(entry.bytes)} in total; use Save for the rest`));
    const button = document.createElement("button");
    button.type = "button";
    button.className = "rest";
    // The keys reach it by the row, so that there is not a stop of the Tab key in each.
    button.tabIndex = -1;
    button.textContent = `… show all ${shortSize(entry.bytes)}`;
    target.append(button);
  }

  #pieces(entry, isWhole) {
    if (entry.type !== "message") return [["", eventWords(entry)]];
    if (entry.opcode === "binary") return dumpPieces(entry.data, narrow.matches ? 8 : 16);
    const limit = isWhole ? WHOLE.characters : LAID_OUT_CHARACTERS;
    const isLaidOut = this.isPretty && entry.data.length <= limit && isJSONStructure(entry.data);
    return isLaidOut ? jsonPieces(entry.data) : [["", entry.data]];
  }

  // MARK: Scrolling

  #blocksMoved(changes) {
    for (const { target: block, isIntersecting } of changes) {
      if (isIntersecting === this.#colored.has(block)) continue;
      if (isIntersecting) this.#colored.add(block);
      else this.#colored.delete(block);
      for (const row of block.children) {
        if (this.entry(row).type === "message") this.#paint(row, isIntersecting);
      }
    }
  }

  #scrollToEnd() {
    this.#element.scrollTop = this.#element.scrollHeight;
  }

  #takeHold() {
    this.#holdTime = performance.now();
  }

  #scrolled() {
    const { scrollTop, scrollHeight, clientHeight } = this.#element;
    if (scrollHeight - scrollTop - clientHeight < 8) this.#setFollowing(true);
    else if (performance.now() - this.#holdTime < HOLD_MS) this.#setFollowing(false);
  }

  #setFollowing(isFollowing) {
    if (isFollowing === this.#isFollowing) return;
    this.#isFollowing = isFollowing;
    // The browser would keep in place what is in view.
    this.#element.classList.toggle("following", isFollowing);
    this.didFollow();
  }
}

function cell(name, text) {
  const element = document.createElement("span");
  element.className = name;
  element.textContent = text;
  return element;
}

/** A dump is cut between its lines, which have up to 72 characters, and any other entry after a number of characters. */
function limitOf(entry, limit) {
  if (entry.opcode !== "binary") return limit;
  return { ...limit, characters: Infinity, lines: Math.floor(limit.characters / 72) };
}

/** The first of the pieces, up to a number of characters and lines. */
function excerpt(pieces, limit) {
  const taken = [];
  let characters = limit.characters;
  let lines = limit.lines;
  for (const [kind, text] of pieces) {
    let end = Math.min(text.length, characters);
    for (let index = text.indexOf("\n"); index >= 0 && index < end; index = text.indexOf("\n", index + 1)) {
      lines -= 1;
      if (lines === 0) end = index;
    }
    // A character of two units is not cut through.
    if (end < text.length && /[\ud800-\udbff]/.test(text.charAt(end - 1))) end -= 1;
    taken.push([kind, text.slice(0, end)]);
    if (end < text.length || lines === 0) return { pieces: taken, isCut: true };
    characters -= end;
  }
  return { pieces: taken, isCut: false };
}

/** Puts text into an element, with an element for each piece that has a kind, as long as there are not too many. */
function appendPieces(target, pieces, maximumElements) {
  let elements = 0;
  let plain = "";
  for (const [kind, text] of pieces) {
    if (kind === "" || elements >= maximumElements) {
      plain += visible(text);
      continue;
    }
    if (plain) target.append(plain);
    plain = "";
    target.append(cell(kind, visible(text)));
    elements += 1;
  }
  if (plain) target.append(plain);
}

