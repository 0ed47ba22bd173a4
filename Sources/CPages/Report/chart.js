// SVG charts: axes, lines, bars, a cursor controlled by pointer or keys, and a selection.

import { html, svg } from "../Shared/elements.js";

const HEIGHT = 250;
const TOP = 32;
const BOTTOM = HEIGHT - 40;
/** The approximate width of a character on the axes. */
const CHARACTER = 6.7;
/** The maximum number of points of a line with dots, and of a thick line. */
const DOTTED_POINTS = 60;
const THICK_POINTS = 400;
/** The movement of the pointer that selects a range, in pixels. */
const SELECTED_WIDTH = 5;

const text = (words, x, y, anchor, kind = "") => svg("text", { class: kind, x, y, "text-anchor": anchor }, words);
const line = (kind, x1, y1, x2, y2) => svg("line", { class: kind, x1, y1, x2, y2 });

/** 1, 2, and 5 times powers of ten, from the last one at or below `min` to the first one at or above `max`. */
export function logTicks(min, max) {
  const ticks = [];
  for (let power = Math.floor(Math.log10(min)); ; power += 1) {
    for (const factor of [1, 2, 5]) {
      const tick = Number(`${factor}e${power}`);
      if (tick <= min) ticks.length = 0;
      ticks.push(tick);
      if (tick >= max && ticks.length > 1) return ticks;
    }
  }
}

/** The ticks within an axis. If a logarithmic axis has too many, only the powers of ten. */
function shownTicks({ isLog, ticks, start = ticks[0], end = ticks.at(-1) }, most) {
  const within = ticks.filter(tick => tick >= start && tick <= end);
  return !isLog || within.length <= most ? within : within.filter(tick => /^1e/.test(tick.toExponential()));
}

/** Returns a function that maps values of an axis to positions between `from` and `to`. */
function scale({ isLog, ticks, start = ticks[0], end = ticks.at(-1) }, from, to) {
  const measure = isLog ? Math.log : Number;
  return value => {
    const share = (measure(Math.max(value, start)) - measure(start)) / (measure(end) - measure(start));
    return Math.round((from + Math.min(1, share) * (to - from)) * 10) / 10;
  };
}

/**
 * A figure with a chart, which is redrawn when its width changes.
 *
 * A model has the axes `x` and `y`: `{ title, ticks, format }` with `isLog`, and `start` and `end` unless they are
 * ticks. It also has `lines` of `{ name, kind, points }`, interrupted where y is null; `bars` of `[from, to, y]` with
 * the y of the lower end and a kind if they are stacked; `marks` on the x axis, `{ name, kind, x }`; `gaps`, which are
 * ranges of x; named `bands`, `{ name, from, to }`; the `keys` of kinds below the chart, `[kind, name, text]`; and
 * cursor `stops`, `{ x, title, rows }` with rows of `[kind, name, text, y]`.
 */
export class Chart {
  #plot = html("div", { class: "plot", tabindex: 0, role: "slider", "aria-valuemin": 0 });
  #tip = html("div", { class: "tip", hidden: "" });
  #keys = html("ul", { class: "keys" });
  #cursor = svg("g");
  #model;
  #index = 0;
  #width;
  #toX;
  #toY;
  #group;
  /** Where the pointer has been pressed, in pixels. */
  #dragStart = null;
  #selection = svg("rect", { class: "selection", y: TOP, height: BOTTOM - TOP, width: 0 });

  /**
   * Adds the chart to a figure with a heading, and a description.
   *
   * A group of charts with the same x axis has the functions `select(from, to)`, `scale(factor, x)`, and `shift(share)`,
   * which change the axis, and `moved(chart, x)`, which receives the place of the cursor or null.
   */
  constructor(figure, note, group) {
    const plot = this.#plot;
    this.#group = group;
    figure.append(html("figcaption", { id: `${figure.id}-note` }, note), plot, this.#keys);
    plot.setAttribute("aria-label", `${figure.querySelector("h2").textContent}: cursor`);
    plot.setAttribute("aria-describedby", `${figure.id}-note`);
    const place = event => event.clientX - plot.getBoundingClientRect().left;
    plot.onpointermove = event => (this.#dragStart === null ? this.#point(place(event)) : this.#drag(place(event)));
    plot.onpointerdown = event => {
      this.#point(place(event));
      if (!group || event.button) return;
      this.#dragStart = place(event);
      plot.setPointerCapture(event.pointerId);
    };
    plot.onpointerup = event => this.#drop(place(event));
    plot.onpointercancel = () => this.#cancelDrag();
    plot.onpointerleave = () => document.activeElement === plot || this.#hide();
    plot.onkeydown = event => this.#press(event);
    plot.onfocus = () => this.#moveTo(this.#index);
    plot.onblur = () => this.#hide();
    new ResizeObserver(() => this.#draw()).observe(plot);
  }

  /** Draws a model, replacing the current one. */
  show(model) {
    const { stops, keys = [] } = model;
    const x = this.#model?.stops[this.#index].x ?? stops[0].x;
    this.#model = model;
    this.#index = this.#nearest(stop => Math.abs(stop.x - x));
    this.#plot.setAttribute("aria-valuemax", stops.length - 1);
    this.#keys.replaceChildren(...keys.map(([kind, name, words]) => (
      html("li", {}, html("span", { class: kind }, name), ` ${words}`))));
    this.#describe();
    this.#draw();
  }

  /** Shows the place of the cursor in another chart of the group, or removes it for null. */
  follow(x) {
    if (!this.#tip.hidden) return;
    const place = x === null ? null : this.#toX(x);
    this.#cursor.replaceChildren(...(place === null ? [] : [line("cursor echo", place, TOP, place, BOTTOM)]));
  }

  #draw() {
    const { x, y, bars = [], marks = [], gaps = [], bands = [] } = this.#model;
    const lines = (this.#model.lines ?? []).filter(({ points }) => points.some(point => point[1] !== null));
    const widest = texts => Math.max(0, ...texts.map(text => text.length)) * CHARACTER;
    this.#width = Math.max(240, this.#plot.clientWidth);
    const left = 10 + widest(shownTicks(y, 7).map(y.format));
    const right = this.#width - 16 - widest(lines.map(line => line.name));
    this.#toX = scale(x, left, right);
    this.#toY = scale(y, BOTTOM, TOP);
    this.#plot.replaceChildren(svg("svg", { viewBox: `0 0 ${this.#width} ${HEIGHT}`, "aria-hidden": "true" },
      ...bands.flatMap((band, index) => this.#band(band, index)),
      ...gaps.map(([from, to]) => this.#box("gap", from, to, TOP)),
      ...this.#axes(left, right),
      ...bars.map(([from, to, count, base = 0, kind = "first"]) => (
        this.#box(`bar ${kind}`, from, to, Math.min(BOTTOM - 1.5, this.#toY(count)), base ? this.#toY(base) : BOTTOM))),
      ...lines.flatMap(({ kind, points }) => this.#path(kind, points)),
      ...this.#names(lines, right + 6),
      ...marks.flatMap((mark, index) => this.#mark(mark, index > 0)),
      ...(this.#group ? [this.#selection] : []), this.#cursor), this.#tip);
    if (!this.#tip.hidden) this.#moveTo(this.#index);
  }

  #axes(left, right) {
    const { x, y } = this.#model;
    const parts = [text(y.title, 0, 12, "start"), text(x.title, (left + right) / 2, HEIGHT - 4, "middle")];
    for (const tick of shownTicks(y, 7)) {
      const place = this.#toY(tick);
      parts.push(line("grid", left, place, right, place), text(y.format(tick), left - 6, place + 4, "end"));
    }
    let free = 0;
    for (const tick of shownTicks(x, this.#width / 65)) {
      const place = this.#toX(tick);
      const half = x.format(tick).length * CHARACTER / 2;
      if (place - half < free || place + half > this.#width) continue;
      free = place + half + 8;
      parts.push(line("", place, BOTTOM, place, BOTTOM + 4), text(x.format(tick), place, BOTTOM + 17, "middle"));
    }
    return [...parts, line("", left, BOTTOM, right, BOTTOM)];
  }

  #box(kind, from, to, y, bottom = BOTTOM) {
    const x = this.#toX(from);
    const width = this.#toX(to) - x;
    // Bars that are wide enough have gaps between them.
    return svg("rect", {
      class: kind, x, y, width: Math.max(1, kind.startsWith("bar") && width > 4 ? width - 1 : width),
      height: Math.max(0, bottom - y) });
  }

  /** Every other band is shaded. The name is only its number where there is little room. */
  #band({ name, from, to }, index) {
    const [start, end] = [this.#toX(from), this.#toX(to)];
    const words = [name, name.replace(/\D/g, "")].find(words => words && words.length * CHARACTER + 4 < end - start);
    return [
      this.#box(index % 2 ? "band" : "band plain", from, to, TOP),
      ...(words ? [text(words, (start + end) / 2, TOP - 4, "middle")] : []),
    ];
  }

  #path(kind, points) {
    const isThere = index => (points[index]?.[1] ?? null) !== null;
    const dots = [];
    let data = "";
    points.forEach(([x, y], index) => {
      if (y === null) return;
      const [cx, cy] = [this.#toX(x), this.#toY(y)];
      const isAlone = !isThere(index - 1) && !isThere(index + 1);
      data += `${isThere(index - 1) ? "L" : "M"}${cx} ${cy}`;
      if (isAlone || points.length <= DOTTED_POINTS) {
        dots.push(svg("circle", { class: kind, cx, cy, r: isAlone && points.length <= DOTTED_POINTS ? 3.5 : 2 }));
      }
    });
    return [svg("path", { class: points.length > THICK_POINTS ? `${kind} dense` : kind, d: data }), ...dots];
  }

  /** The names of the lines, each at the end of its line, without overlaps. */
  #names(lines, x) {
    const names = lines.map(({ name, kind, points }) => (
      { name, kind, y: this.#toY(points.findLast(point => point[1] !== null)[1]) }));
    let free = BOTTOM;
    return names.sort((one, other) => other.y - one.y).map(({ name, kind, y }) => {
      const place = Math.min(y, free);
      free = place - 14;
      return text(name, x, place + 4, "start", `name ${kind}`);
    });
  }

  /** A mark with its name on the left, or on the right, wherever there is room. */
  #mark({ name, kind, x }, isRight) {
    const place = this.#toX(x);
    const [side, anchor] = place > this.#width * (isRight ? 0.7 : 0.3) ? [-5, "end"] : [5, "start"];
    return [
      line(`mark ${kind}`, place, TOP, place, BOTTOM),
      text(name, place + side, TOP + (isRight ? 26 : 10), anchor, `name ${kind}`),
    ];
  }

  #point(place) {
    this.#moveTo(this.#nearest(stop => Math.abs(this.#toX(stop.x) - place)));
  }

  #nearest(distance) {
    const distances = this.#model.stops.map(distance);
    return distances.indexOf(Math.min(...distances));
  }

  // The selection.

  #drag(place) {
    const [left, right] = [Math.min(place, this.#dragStart), Math.max(place, this.#dragStart)];
    if (right - left < SELECTED_WIDTH) return;
    this.#hide();
    this.#selection.setAttribute("x", left);
    this.#selection.setAttribute("width", right - left);
  }

  #drop(place) {
    const start = this.#dragStart;
    this.#cancelDrag();
    if (start === null || Math.abs(place - start) < SELECTED_WIDTH) return;
    const values = [start, place].map(place => this.#valueAt(place)).sort((one, other) => one - other);
    this.#group.select(...values);
  }

  #cancelDrag() {
    this.#dragStart = null;
    this.#selection.setAttribute("width", 0);
  }

  /** The value on the x axis at a place, in pixels. The axis is linear. */
  #valueAt(place) {
    const { ticks, start = ticks[0], end = ticks.at(-1) } = this.#model.x;
    return start + (place - this.#toX(start)) / (this.#toX(end) - this.#toX(start)) * (end - start);
  }

  /** Handles a key that changes the axis of the group. Returns whether it does. */
  #pressForGroup({ key, shiftKey }) {
    if (!this.#group) return false;
    const factor = { "+": 0.5, "=": 0.5, "-": 2 }[key];
    const share = shiftKey && { ArrowLeft: -0.5, ArrowRight: 0.5 }[key];
    if (factor) this.#group.scale(factor, this.#model.stops[this.#index].x);
    else if (share) this.#group.shift(share);
    return Boolean(factor || share);
  }

  #press(event) {
    if (event.key === "Escape" && this.#dragStart !== null) {
      event.stopPropagation();
      return this.#cancelDrag();
    }
    if (event.key === "Escape") return this.#hide();
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (this.#pressForGroup(event)) return event.preventDefault();
    const last = this.#model.stops.length - 1;
    const page = Math.ceil(last / 10);
    const steps = {
      ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -page, PageUp: page, Home: -last, End: last };
    if (!(event.key in steps)) return;
    event.preventDefault();
    this.#moveTo(Math.min(last, Math.max(0, this.#index + steps[event.key])));
  }

  #moveTo(index) {
    this.#index = index;
    this.#describe();
    const { title, rows, x } = this.#model.stops[index];
    const place = this.#toX(x);
    this.#cursor.replaceChildren(line("cursor", place, TOP, place, BOTTOM),
      ...rows.filter(row => Number.isFinite(row[3])).map(([kind, , , y]) => (
        svg("circle", { class: `spot ${kind}`, cx: place, cy: this.#toY(y), r: 4.5 }))));
    this.#tip.replaceChildren(html("p", { class: "quiet" }, title), ...rows.map(([kind, name, words]) => (
      html("p", {}, html("span", { class: kind }, name), html("b", {}, words)))));
    this.#tip.hidden = false;
    this.#group?.moved(this, x);
    // Next to the cursor, on a side with room.
    const size = this.#tip.offsetWidth + 12;
    this.#tip.style.left = `${place + size <= this.#width ? place + 12 : Math.max(0, place - size)}px`;
  }

  #hide() {
    this.#tip.hidden = true;
    this.#cursor.replaceChildren();
    this.#group?.moved(this, null);
  }

  #describe() {
    const { title, rows } = this.#model.stops[this.#index];
    this.#plot.setAttribute("aria-valuenow", this.#index);
    this.#plot.setAttribute("aria-valuetext", `${title}: ${rows.map(row => `${row[1]} ${row[2]}`).join(", ")}`);
  }
}
