// The view of the log: a row per entry, in blocks. Only blocks in view are laid out and colored.

import { appendPieces, cell, entryPieces, EXCERPT, excerpt, imageTypeOf, isJSONEntry } from "../Shared/pieces.js";
import { limitOf, showImage, WHOLE } from "../Shared/pieces.js";
import { clockTime, exactSize, shortSize } from "../Shared/units.js";

const ROWS_OF_A_BLOCK = 50;
/** The maximum number of rows to create at once. Further entries wait in the log, which is bounded. */
const ROWS_OF_A_TURN = 1000;
/** The maximum length of messages that are parsed as JSON on arrival. Longer ones are parsed when shown in full. */
const PARSED_CHARACTERS = 16 << 10;
// On screens too narrow for 16 bytes, dumps have shorter lines.
const narrow = matchMedia("(max-width: 54rem)");
const KEYS_UP = new Set(["ArrowUp", "PageUp", "Home"]);
/** The time after a key press or wheel event during which scrolling, possibly smooth, counts as manual. */
const HOLD_MS = 1000;
const ARROWS = { out: ["→", "sent"], in: ["←", "received"] };

/** Shows a `Log` through a `Filter`, at most once per frame. */
export class LogView {
  /** Whether JSON is indented. Otherwise, only JSON shown in full is. */
  isPretty = false;
  isPaused = false;

  #log;
  #filter;
  #element;
  #content = document.createElement("div");
  #nextNumber = 0;
  #isScheduled = false;
  #isEmptied = false;
  #isFollowing = true;
  /** When the user last did something that scrolls up. Growing or shrinking content also causes scroll events. */
  #holdTime = -Infinity;
  #wholeNumbers = new Set();
  #entries = new WeakMap();
  #colored = new WeakSet();
  #observer;

  /** Calls `didChange()` after each change of the content, and `didFollow()` when following starts or stops. */
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
    // The content grows with new rows, and when blocks in view get their actual heights.
    new ResizeObserver(() => this.#isFollowing && this.#scrollToEnd()).observe(this.#content);
    narrow.addEventListener("change", () => this.rebuild());
    element.addEventListener("scroll", () => this.#scrolled(), { passive: true });
    element.addEventListener("wheel", ({ deltaY }) => deltaY < 0 && this.#takeHold(), { passive: true });
    element.addEventListener("touchmove", () => this.#takeHold(), { passive: true });
    element.addEventListener("keydown", ({ key }) => KEYS_UP.has(key) && this.#takeHold());
    // Events on the scroll bar have the element itself as their target.
    element.addEventListener("pointerdown", ({ target }) => target === element && this.#takeHold());
  }

  /** Shows new entries in the next frame. */
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

  /** Rebuilds the view, after a change of the filter or the format. */
  rebuild(filter = this.#filter) {
    this.#filter = filter;
    this.#observer.disconnect();
    this.#content.replaceChildren();
    this.#nextNumber = this.#log.firstNumber;
    this.#isEmptied = true;
    this.update();
  }

  /** Whether the view scrolls to new entries. */
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

  /** The number of new entries not yet shown, before filtering. */
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

  /** The row that contains an element, or `null`. */
  row(element) {
    return element instanceof Element ? element.closest(".row") : null;
  }

  /** The row before (-1) or after (1) another one. Without a row, the last or the first row. */
  neighbor(row, step) {
    if (!row) return step > 0 ? this.#firstRow : this.#lastRow;
    if (step > 0) return row.nextElementSibling ?? row.parentElement.nextElementSibling?.firstElementChild ?? row;
    return row.previousElementSibling ?? row.parentElement.previousElementSibling?.lastElementChild ?? row;
  }

  /** Whether an entry can be shown in full, or is. */
  canFold(row) {
    return row.classList.contains("folded") || this.isWhole(row);
  }

  /** Whether an entry is shown in full. */
  isWhole(row) {
    return this.#wholeNumbers.has(this.entry(row).number);
  }

  /** Switches between the full entry and its excerpt. */
  toggleWhole(row) {
    if (!this.canFold(row)) return;
    const { number } = this.entry(row);
    if (!this.#wholeNumbers.delete(number)) this.#wholeNumbers.add(number);
    // The user reads this entry, so do not scroll to the end.
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

  /** Fills in an entry, with colors and highlights if it is in view. The text is the same, so rows keep their height. */
  #paint(row, isInView) {
    const entry = this.entry(row);
    const target = row.querySelector(".data");
    const isWhole = this.#wholeNumbers.has(entry.number);
    const isIndented = isWhole || this.isPretty;
    const limit = limitOf(entry, isWhole ? WHOLE : EXCERPT);
    const isJSON = isJSONEntry(entry, isWhole ? WHOLE.characters : PARSED_CHARACTERS);
    const { pieces, isCut } = excerpt(
      entryPieces(entry, { isJSON, isIndented, lineBytes: narrow.matches ? 8 : 16 }), limit);
    const imageType = imageTypeOf(entry);
    target.replaceChildren();
    if (isInView) appendPieces(target, pieces, this.#filter.pattern, limit.colors);
    else appendPieces(target, pieces, null, 0);
    if (isInView && imageType && !isWhole) showImage(target, entry, imageType);
    row.classList.toggle("folded", !isWhole && (isCut || (isJSON && !isIndented) || imageType !== undefined));
    if (!isCut) return;
    if (isWhole) return target.append(cell("rest", `… ${exactSize(entry.bytes)} in total; use Save for the rest`));
    const button = document.createElement("button");
    button.type = "button";
    button.className = "rest";
    // Keyboard users reach it through the row, which avoids a Tab stop per entry.
    button.tabIndex = -1;
    button.textContent = `… show all ${shortSize(entry.bytes)}`;
    target.append(button);
  }

  // MARK: Scrolling

  #blocksMoved(changes) {
    for (const { target: block, isIntersecting } of changes) {
      if (isIntersecting === this.#colored.has(block)) continue;
      if (isIntersecting) this.#colored.add(block);
      else this.#colored.delete(block);
      for (const row of block.children) {
        // An image stays, because its dump has a different height.
        if (!row.querySelector("img")) this.#paint(row, isIntersecting);
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
    // Disables scroll anchoring, which would keep the current rows in place.
    this.#element.classList.toggle("following", isFollowing);
    this.didFollow();
  }
}
