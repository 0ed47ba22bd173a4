// The timeline: the density of sent and received messages.

import { html, svg } from "../Shared/elements.js";
import { count, linearTicks, time } from "../Shared/units.js";

const HEIGHT = 92;
const AXIS = 38;
const ROOM = 32;
const BIN = 3;
/** The maximum approximate width of a label. */
const LABEL = 64;
/** A pointer that moves further selects times. */
const DRAG = 5;

/** Draws the events of the connections shown, and those in the list in full color. */
export class Timeline {
  /** The shown times in microseconds since 1970, `[from, to]`, or `null` for all. */
  range = null;

  #element;
  #events;
  #rows = [];
  #start = 0;
  #duration = 1;
  #width = 0;
  #bins = [];
  #bin = 0;
  #anchor = null;
  #band = svg("rect", { class: "band", y: 0, height: HEIGHT - 16 });
  #brush = svg("rect", { class: "brush", y: 0, height: HEIGHT - 16 });
  #mark = svg("line", { class: "mark", y1: 0, y2: HEIGHT - 16 });
  #tip = html("p", { class: "tip", hidden: "" });
  #didSelect;
  #didPoint;

  /** Calls `didSelect()` when `range` has changed, and `didPoint(time)` when the user points at a time. */
  constructor(element, { didSelect, didPoint }) {
    this.#element = element;
    this.#didSelect = didSelect;
    this.#didPoint = didPoint;
    element.addEventListener("pointerdown", event => this.#pressed(event));
    element.addEventListener("pointermove", event => this.#moved(event));
    element.addEventListener("pointerup", event => this.#released(event));
    element.addEventListener("pointerleave", () => document.activeElement === element || this.#hideTip());
    element.addEventListener("keydown", event => this.#keyPressed(event));
    element.addEventListener("focus", () => element.matches(":focus-visible") && this.#describe());
    element.addEventListener("blur", () => this.#hideTip());
    new ResizeObserver(() => this.#draw()).observe(element);
  }

  /** Shows the events of the connections shown, those with these indices in full color. */
  show(events, rows) {
    this.#events = events;
    this.#rows = rows;
    this.#draw();
  }

  /** Marks the time of the selected event, and the times of the rows in view. */
  mark(selected, [first, last]) {
    if (!this.#events) return;
    const place = index => this.#toX(this.#events.times[index]);
    this.#mark.style.display = selected < 0 ? "none" : "";
    if (selected >= 0) for (const name of ["x1", "x2"]) this.#mark.setAttribute(name, place(selected));
    const isThere = last >= first && this.#rows[last] !== undefined;
    this.#setBox(this.#band, isThere && this.#bins.length ? [place(this.#rows[first]), place(this.#rows[last])] : null);
  }

  #setBox(box, ends) {
    box.style.display = ends ? "" : "none";
    if (!ends) return;
    const [from, to] = [Math.min(...ends), Math.max(...ends)];
    box.setAttribute("x", from - 1);
    box.setAttribute("width", Math.max(2, to - from + 2));
  }

  #toX(time) {
    const share = Math.min(1, Math.max(0, time - this.#start) / this.#duration);
    return Math.round(10 * (1 + (this.#width - 2) * share)) / 10;
  }

  #toTime(x) {
    return this.#start + Math.round(Math.min(1, Math.max(0, (x - 1) / (this.#width - 2))) * this.#duration);
  }

  #binOf(index) {
    const share = Math.max(0, this.#events.times[index] - this.#start) / this.#duration;
    return Math.min(this.#bins.length - 1, Math.floor(share * this.#bins.length));
  }

  // MARK: Drawing

  #draw() {
    this.#width = this.#element.clientWidth;
    if (!this.#events || this.#width < 50) return;
    this.#start = this.#events.start;
    this.#duration = Math.max(1, this.#events.duration);
    const length = Math.floor(this.#width / BIN);
    this.#bins = Array.from({ length }, () => ({ out: 0, in: 0, events: 0, shownOut: 0, shownIn: 0, bytes: 0 }));
    for (let index = 0; index < this.#events.count; index += 1) {
      if (!this.#events.isShown(index)) continue;
      const { direction, isMessage } = this.#events.kind(index);
      const bin = this.#bins[this.#binOf(index)];
      if (!isMessage) {
        bin.events += 1;
        continue;
      }
      bin[direction] += 1;
      bin.bytes += this.#events.sizes[index];
    }
    for (const index of this.#rows) {
      const { direction, isMessage } = this.#events.kind(index);
      const member = direction === "out" ? "shownOut" : "shownIn";
      if (isMessage) this.#bins[this.#binOf(index)][member] += 1;
    }
    const most = Math.sqrt(Math.max(1, ...this.#bins.map(bin => Math.max(bin.out, bin.in))));
    const bars = (kind, member, sign) => svg("path", {
      class: kind, d: this.#bins.map((bin, place) => {
        if (!bin[member]) return "";
        const height = Math.max(2.5, ROOM * Math.sqrt(bin[member]) / most);
        return `M${this.#binX(place)} ${AXIS + sign}v${(sign * height).toFixed(1)}`;
      }).join("") });
    const ticks = this.#bins.map((bin, place) => bin.events ? `M${this.#binX(place)} ${AXIS - 3}v6` : "");
    const events = svg("path", { class: "event", d: ticks.join("") });
    this.#element.replaceChildren(
      svg("svg", { viewBox: `0 0 ${this.#width} ${HEIGHT}`, height: HEIGHT, "aria-hidden": "true" },
        this.#band, ...this.#axis(),
        bars("out all", "out", -1), bars("in all", "in", 1), bars("out", "shownOut", -1), bars("in", "shownIn", 1),
        events, this.#brush, this.#mark),
      this.#tip);
    this.#element.setAttribute("aria-valuemax", length - 1);
    this.#showRange();
    this.#setDescription();
  }

  #binX(place) {
    return ((place + 0.5) * this.#width / this.#bins.length).toFixed(1);
  }

  #axis() {
    const [size, unit] = this.#duration >= 180e6 ? [60e6, "min"] : this.#duration >= 1e6 ? [1e6, "s"]
      : this.#duration >= 1000 ? [1000, "ms"] : [1, "us"];
    const parts = [svg("line", { class: "axis", x1: 0, x2: this.#width, y1: AXIS, y2: AXIS })];
    for (const tick of linearTicks(this.#duration / size, Math.max(2, Math.floor(this.#width / LABEL / 1.6)))) {
      const x = this.#toX(this.#start + tick * size);
      if (tick * size > this.#duration) continue;
      const isAtEnd = x > this.#width - LABEL / 2;
      parts.push(
        svg("line", { class: "tick", x1: x, x2: x, y1: 0, y2: HEIGHT - 16 }),
        svg("text", { x, y: HEIGHT - 3, "text-anchor": x < LABEL / 2 ? "start" : isAtEnd ? "end" : "middle" },
          `${tick} ${unit}`));
    }
    return parts;
  }

  #showRange() {
    this.#setBox(this.#brush, this.range && this.range.map(time => this.#toX(time)));
  }

  // MARK: Pointer and keys

  #x(event) {
    return event.clientX - this.#element.getBoundingClientRect().left - this.#element.clientLeft;
  }

  #pressed(event) {
    if (event.button) return;
    this.#element.setPointerCapture(event.pointerId);
    this.#anchor = { x: this.#x(event), isDragged: false };
  }

  #moved(event) {
    const x = this.#x(event);
    this.#bin = Math.max(0, Math.min(this.#bins.length - 1, Math.floor(x / this.#width * this.#bins.length)));
    this.#describe();
    if (!this.#anchor || (!this.#anchor.isDragged && Math.abs(x - this.#anchor.x) < DRAG)) return;
    this.#anchor.isDragged = true;
    this.range = [this.#anchor.x, x].map(x => this.#toTime(x)).sort((one, other) => one - other);
    this.#showRange();
  }

  #released(event) {
    if (!this.#anchor) return;
    if (this.#anchor.isDragged) this.#didSelect();
    else this.#didPoint(this.#toTime(this.#x(event)));
    this.#anchor = null;
  }

  #keyPressed(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const last = this.#bins.length - 1;
    const steps = {
      ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -Math.ceil(last / 10),
      PageUp: Math.ceil(last / 10), Home: -last, End: last };
    if (!(event.key in steps)) return;
    event.preventDefault();
    const before = this.#bin;
    this.#bin = Math.max(0, Math.min(last, this.#bin + steps[event.key]));
    this.#describe();
    if (!event.shiftKey) return this.#didPoint(this.#binTimes(this.#bin)[0]);
    // The end of the range that is at the cursor moves.
    const [start, end] = this.#binTimes(before);
    const [from, to] = this.range ?? [start, end];
    const isAtStart = this.range !== null && Math.abs(start - from) < Math.abs(end - to);
    const moved = this.#binTimes(this.#bin);
    this.range = isAtStart ? [Math.min(moved[0], to), to] : [Math.min(from, moved[0]), moved[1]];
    this.#showRange();
    this.#didSelect();
  }

  #binTimes(place) {
    return [place, place + 1].map(place => this.#start + Math.round(place * this.#duration / this.#bins.length));
  }

  #setDescription() {
    const bin = this.#bins[this.#bin];
    if (!bin) return "";
    const parts = [`+${time(this.#binTimes(this.#bin)[0] - this.#start)}`, `${count(bin.out)} sent`, `${count(bin.in)} received`];
    if (bin.events) parts.push(bin.events === 1 ? "1 event" : `${count(bin.events)} events`);
    this.#element.setAttribute("aria-valuenow", this.#bin);
    this.#element.setAttribute("aria-valuetext", parts.join(", "));
    return parts.join(" · ");
  }

  #describe() {
    if (!this.#bins.length) return;
    this.#tip.textContent = this.#setDescription();
    this.#tip.hidden = false;
    const x = Number(this.#binX(this.#bin));
    const width = this.#tip.offsetWidth;
    this.#tip.style.left = `${Math.max(0, Math.min(this.#width - width, x - width / 2))}px`;
  }

  #hideTip() {
    this.#tip.hidden = true;
  }
}
