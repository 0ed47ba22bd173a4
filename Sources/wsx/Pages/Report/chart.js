// SVG charts: axes, lines, bars, and a cursor controlled by pointer or keys.

import { html, svg } from "../Shared/elements.js";

const HEIGHT = 250;
const TOP = 26;
const BOTTOM = HEIGHT - 40;
/** The approximate width of a character on the axes. */
const CHARACTER = 6.7;
/** The maximum number of points of a line with dots, and of a thick line. */
const DOTTED_POINTS = 60;
const THICK_POINTS = 400;

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
 * ticks. It also has `lines` of `{ name, kind, points }`, interrupted where y is null; `bars` of `[from, to, y]`;
 * `marks` on the x axis, `{ name, kind, x }`; `gaps`, which are ranges of x; and cursor `stops`, `{ x, title, rows }`
 * with rows of `[kind, name, text, y]`.
 */
export class Chart {
  #plot = html("div", { class: "plot", tabindex: 0, role: "slider", "aria-valuemin": 0 });
  #tip = html("div", { class: "tip", hidden: "" });
  #cursor = svg("g");
  #model;
  #index = 0;
  #width;
  #toX;
  #toY;

  /** Adds the chart to a figure with a heading, and a description. */
  constructor(figure, note) {
    const plot = this.#plot;
    figure.append(html("figcaption", { id: `${figure.id}-note` }, note), plot);
    plot.setAttribute("aria-label", `${figure.querySelector("h2").textContent}: cursor`);
    plot.setAttribute("aria-describedby", `${figure.id}-note`);
    plot.onpointermove = plot.onpointerdown = event => this.#point(event.clientX - plot.getBoundingClientRect().left);
    plot.onpointerleave = () => document.activeElement === plot || this.#hide();
    plot.onkeydown = event => this.#press(event);
    plot.onfocus = () => this.#moveTo(this.#index);
    plot.onblur = () => this.#hide();
    new ResizeObserver(() => this.#draw()).observe(plot);
  }

  /** Draws a model, replacing the current one. */
  show(model) {
    this.#model = model;
    this.#plot.setAttribute("aria-valuemax", model.stops.length - 1);
    this.#describe();
    this.#draw();
  }

  #draw() {
    const { x, y, lines = [], bars = [], marks = [], gaps = [] } = this.#model;
    const widest = texts => Math.max(0, ...texts.map(text => text.length)) * CHARACTER;
    this.#width = Math.max(240, this.#plot.clientWidth);
    const left = 10 + widest(shownTicks(y, 7).map(y.format));
    const right = this.#width - 16 - widest(lines.map(line => line.name));
    this.#toX = scale(x, left, right);
    this.#toY = scale(y, BOTTOM, TOP);
    this.#plot.replaceChildren(svg("svg", { viewBox: `0 0 ${this.#width} ${HEIGHT}`, "aria-hidden": "true" },
      ...gaps.map(([from, to]) => this.#box("gap", from, to, TOP)),
      ...this.#axes(left, right),
      ...bars.map(([from, to, count]) => this.#box("bar", from, to, Math.min(BOTTOM - 1.5, this.#toY(count)))),
      ...lines.flatMap(({ kind, points }) => this.#path(kind, points)),
      ...this.#names(lines, right + 6),
      ...marks.flatMap((mark, index) => this.#mark(mark, index > 0)),
      this.#cursor), this.#tip);
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

  #box(kind, from, to, y) {
    const x = this.#toX(from);
    const width = this.#toX(to) - x;
    // Bars that are wide enough have gaps between them.
    return svg("rect", {
      class: kind, x, y, width: Math.max(1, kind === "bar" && width > 4 ? width - 1 : width), height: BOTTOM - y });
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
        dots.push(svg("circle", { class: kind, cx, cy, r: isAlone ? 3.5 : 2 }));
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
    const distances = this.#model.stops.map(stop => Math.abs(this.#toX(stop.x) - place));
    this.#moveTo(distances.indexOf(Math.min(...distances)));
  }

  #press(event) {
    if (event.key === "Escape") return this.#hide();
    const last = this.#model.stops.length - 1;
    const page = Math.ceil(last / 10);
    const steps = {
      ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -page, PageUp: page, Home: -last, End: last };
    if (!(event.key in steps) || event.ctrlKey || event.altKey || event.metaKey) return;
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
    // Next to the cursor, on a side with room.
    const size = this.#tip.offsetWidth + 12;
    this.#tip.style.left = `${place + size <= this.#width ? place + 12 : Math.max(0, place - size)}px`;
  }

  #hide() {
    this.#tip.hidden = true;
    this.#cursor.replaceChildren();
  }

  #describe() {
    const { title, rows } = this.#model.stops[this.#index];
    this.#plot.setAttribute("aria-valuenow", this.#index);
    this.#plot.setAttribute("aria-valuetext", `${title}: ${rows.map(row => `${row[1]} ${row[2]}`).join(", ")}`);
  }
}
