// The course of the run: charts with a common time axis.

import { count, linearTicks, time } from "../Shared/units.js";
import { logTicks } from "./chart.js";
import { THINGS, causeWords, duration, fraction, label, latency, mode, results } from "./words.js";
import { rounded, short, shortCount } from "./words.js";

const timeline = { opening: [], handshakes: [], errors: [], ...results.timeline };
// The fields of each second in drawing order, with their styles.
export const RATES = ["received", "sent"];
export const LATENCIES = ["max_us", "p99_us", "p50_us"];
const KINDS = {
  received: "first", sent: "second", p50_us: "first", p99_us: "second", max_us: "third", open: "first", target: "third" };
// The styles of errors, the most frequent first, and that of the rest.
const ERROR_KINDS = ["first", "second", "fourth", "fifth", "sixth"];
const REST_KIND = "third";
// Intervals that people count in, in seconds.
const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 28800, 86400];
const MOST_BARS = 60;

const isLong = duration > 180;
const unit = isLong ? "min" : "s";
const clock = time => (isLong ? `${Math.trunc(time / 60)}:${fraction(time % 60).padStart(2, "0")}` : fraction(time));
/** A range of time: `3–4 s`. */
export const range = (from, to) => `${clock(from)}–${clock(to)}\xa0${unit}`;

const handshakes = new Map(timeline.handshakes.map(row => [row.second, row]));
const stages = (results.stages ?? []).map((stage, index, all) => {
  const from = all.slice(0, index).reduce((sum, { duration_s }) => sum + duration_s, 0);
  return { name: stage.name, from, to: Math.min(duration, from + stage.duration_s), length: stage.duration_s,
    target: stage.target_connections ?? stage.target_rate,
    start: index ? all[index - 1].target_connections ?? all[index - 1].target_rate : 0 };
}).filter(stage => stage.length && stage.from < duration);
const targetField = stages.length ? ("target_rate" in results.stages[0] ? "target_rate" : "target_connections") : "";

/** The target of the stages at a time. */
function targetAt(moment) {
  const stage = stages.findLast(({ from }) => from <= moment);
  return stage.start + (stage.target - stage.start) * Math.min(1, (moment - stage.from) / stage.length);
}

/** The seconds of the run. The last one may be incomplete. */
export const seconds = results.per_second.map(row => {
  const length = Math.max(1e-6, Math.min(1, duration - row.second));
  const [end, middle] = [row.second + length, row.second + length / 2];
  const stage = stages.findLast(({ from }) => from <= row.second);
  const shake = handshakes.get(row.second);
  return {
    ...row, length, end, middle, title: range(row.second, end) + (stage ? `, ${stage.name}` : ""),
    open: timeline.connections?.[row.second] ?? null, opened: shake?.received ?? 0, shake_p50_us: shake?.p50_us ?? null,
    shake_p99_us: shake?.p99_us ?? null,
  };
});
const answered = seconds.filter(second => second.max_us);
const isTime = field => field.endsWith("_us");

// The part of the run that the charts show.

let view = [0, duration];
/** Whether the charts show a part of the run. */
export const isZoomed = () => view[0] > 0 || view[1] < duration;
/** The part in words: `3–9 s of 20 s`. */
export const viewWords = () => `${range(...view)} of ${clock(duration)}\xa0${unit}`;
const inView = ({ middle }) => middle > view[0] && middle < view[1];

/** Shows whole seconds, at least two. */
export function show(from, to) {
  const start = Math.max(0, Math.min(Math.floor(from), Math.ceil(duration) - 2));
  view = [start, Math.min(duration, Math.max(start + 2, Math.ceil(to)))];
}

/** Shows a longer or shorter part, which keeps a time at its place. */
export const scaleView = (factor, center) =>
  show(Math.round(center - (center - view[0]) * factor), Math.round(center + (view[1] - center) * factor));

/** Shows an earlier or later part of the same length. */
export function shiftView(share) {
  const length = view[1] - view[0];
  const from = Math.max(0, Math.min(duration - length, view[0] + share * length));
  show(from, from + length);
}

// The models of the charts.

/** The value of a field in a second. Counts are per full second; a missing latency is `null`. */
const value = (second, field) =>
  (RATES.includes(field) ? second[field] / second.length : second.max_us || !LATENCIES.includes(field) ? second[field] : null);

/** The value of a field in words. */
export const words = (second, field) => {
  const number = value(second, field);
  return number === null ? "none" : isTime(field) ? time(number) : rounded(number);
};

function timeAxis() {
  const [from, to] = view;
  if (!isLong) {
    const [size, unit] = duration < 0.1 ? [0.001, "milliseconds"] : [1, "seconds"];
    const [, step] = linearTicks((to - from) / size, 8);
    const first = Math.ceil(from / size / step - 1e-9);
    const ticks = Array.from({ length: Math.floor((to - from) / size / step + 1e-9) + 1 }, (_, index) => (first + index) * step * size);
    return { title: `Time, ${unit}`, start: from, end: to, ticks, format: tick => short(tick / size) };
  }
  const step = STEPS.find(step => (to - from) / step <= 8) ?? STEPS.at(-1);
  const ticks = [];
  for (let tick = Math.ceil(from / step) * step; tick <= to; tick += step) ticks.push(tick);
  const isWhole = step % 60 === 0;
  return {
    title: `Time, ${isWhole ? "minutes" : "min:s"}`, start: from, end: to, ticks,
    format: tick => (isWhole ? String(tick / 60) : clock(tick)) };
}

const bands = () => stages.map(({ name, from, to }) => ({ name, from: Math.max(from, view[0]), to: Math.min(to, view[1]) }))
  .filter(({ from, to }) => from < to);

/** A chart of lines. The rows of the tooltip may have more fields. */
function timeModel(fields, y, { kinds = KINDS, more = () => [] } = {}) {
  const shown = seconds.filter(inView);
  return {
    x: timeAxis(), y, bands: bands(),
    lines: fields.map(field => ({
      name: label(field), kind: kinds[field], points: shown.map(second => [second.middle, value(second, field)]) })),
    stops: shown.map(second => ({
      x: second.middle, title: second.title, rows: [...fields.map(field => (
        [kinds[field], label(field), words(second, field), value(second, field)])), ...more(second)] })),
  };
}

/** The axis of times, which may be logarithmic. */
export function latencyAxis(title, values, isLog) {
  const max = Math.max(...values);
  const ticks = isLog ? logTicks(Math.max(1e-3, Math.min(...values)), max) : linearTicks(max, 6);
  return { title, ticks, isLog, format: us => time(us, short) };
}

function latencyModel(isLog) {
  const shown = answered.filter(inView);
  const values = (shown.length ? shown : answered).flatMap(second => LATENCIES.map(field => second[field]));
  const gaps = seconds.filter(second => !second.max_us && inView(second)).map(({ second, end }) => [second, end]);
  return { gaps, ...timeModel(LATENCIES, latencyAxis("Latency", values, isLog)) };
}

function latencyNote() {
  const worst = answered.reduce((worst, second) => (second.max_us > worst.max_us ? second : worst));
  const silent = seconds.length - answered.length;
  return `Latency of the ${THINGS} in each second. The worst is ${range(worst.second, worst.end)}, with up to ${time(worst.max_us)}.`
    + (silent ? ` ${count(silent)} of ${count(seconds.length)} seconds had no ${THINGS} (gray).` : "")
    + (latency.max > worst.max_us ? ` After the last second, latencies reached ${time(latency.max)}.` : "");
}

const withTarget = (field, fields) => (targetField === field ? [...fields, "target"] : fields);
// A rate is an average, and open connections are counted at the end.
const targetMoment = targetField === "target_rate" ? "middle" : "end";
if (targetField) for (const second of seconds) second.target = targetAt(second[targetMoment]);

function throughputModel() {
  const fields = withTarget("target_rate", RATES);
  const most = Math.max(1, ...seconds.filter(inView).flatMap(second => fields.map(field => value(second, field))));
  return timeModel(fields, { title: "Messages per second", ticks: linearTicks(most, 6), format: shortCount });
}

function throughputNote() {
  const rates = seconds.map(second => value(second, mode === "send" ? "sent" : "received"));
  return `Between ${rounded(Math.min(...rates))} and ${rounded(Math.max(...rates))} ${THINGS} per second, `
    + `${rounded(results.rate_per_second)} on average.` + (targetField === "target_rate" ? " The target is dotted." : "");
}

function connectionsModel() {
  const fields = withTarget("target_connections", ["open"]);
  const most = Math.max(1, ...seconds.filter(inView).flatMap(second => fields.map(field => second[field])));
  const more = second => (second.opened ? [["", "opened", count(second.opened)]] : []);
  return timeModel(fields, { title: "Open connections", ticks: linearTicks(most, 6, 1), format: shortCount }, { more });
}

function connectionsNote() {
  const counts = seconds.map(second => second.open);
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  const number = least === most ? (counts.length > 1 ? `Always ${count(most)}` : count(most)) : `Between ${count(least)} and ${count(most)}`;
  return `${number} of ${count(results.connections)} ${results.connections === 1 ? "connection" : "connections"}, at the `
    + "end of each second." + (targetField === "target_connections" ? " The target is dotted." : "");
}

const SHAKES = ["shake_p99_us", "shake_p50_us"];
const SHAKE_KINDS = { shake_p50_us: "first", shake_p99_us: "second" };
const reopened = seconds.filter(second => second.opened);
const openedRow = second => [["", "opened", count(second.opened)]];
const openedSum = rows => {
  const sum = rows.reduce((sum, { opened }) => sum + opened, 0);
  return sum === 1 ? "a connection" : `${count(sum)} connections`;
};

function handshakesModel(isLog) {
  const shown = reopened.filter(inView);
  const values = (shown.length ? shown : reopened).flatMap(second => SHAKES.map(field => second[field]));
  return timeModel(SHAKES, latencyAxis("Duration", values, isLog), { kinds: SHAKE_KINDS, more: openedRow });
}

function handshakesNote() {
  const worst = reopened.reduce((worst, second) => (second.shake_p99_us > worst.shake_p99_us ? second : worst));
  return `Times to open ${openedSum(reopened)} during the load. The worst second is ${range(worst.second, worst.end)}, `
    + `with a p99 of ${time(worst.shake_p99_us)}.`;
}

/** The seconds before the load in which connections were opened, and the ones between them. */
const opening = Array.from({ length: Math.min(1e5, (timeline.opening.at(-1)?.second ?? -1) + 1) }, (_, second) => {
  const shake = timeline.opening.find(row => row.second === second);
  return { middle: second + 0.5, title: range(second, second + 1), opened: shake?.received ?? 0,
    shake_p50_us: shake?.p50_us ?? null, shake_p99_us: shake?.p99_us ?? null };
});

function openingModel(isLog) {
  const shown = opening.filter(second => second.opened);
  const values = shown.flatMap(second => SHAKES.map(field => second[field]));
  return {
    x: { title: "Time since the first attempt, seconds", ticks: linearTicks(opening.length, 8), end: opening.length, format: short },
    y: latencyAxis("Duration", values, isLog),
    lines: SHAKES.map(field => ({
      name: label(field), kind: SHAKE_KINDS[field], points: opening.map(second => [second.middle, second[field]]) })),
    stops: shown.map(second => ({ x: second.middle, title: second.title, rows: [...SHAKES.map(field => (
      [SHAKE_KINDS[field], label(field), time(second[field]), second[field]])), ...openedRow(second)] })),
  };
}

const openingNote = () => `Times to open ${openedSum(opening)} before the load, by the second since the first attempt.`;

// Errors: the most frequent ones are distinguished.
const errorSums = timeline.errors.map(({ seconds }) => (
  seconds.reduce((sum, [second, number]) => (second < 0 ? sum : sum + number), 0)));
const series = timeline.errors.map(({ seconds, ...cause }, index) => (
  { name: causeWords(cause), seconds: seconds.filter(([second]) => second >= 0), isOther: cause.kind === "other", sum: errorSums[index] }))
  .filter(({ sum }) => sum).sort((one, other) => one.isOther - other.isOther || other.sum - one.sum);
const shownSeries = series.slice(0, ERROR_KINDS.length).filter(({ isOther }) => !isOther)
  .map((entry, index) => ({ ...entry, kind: ERROR_KINDS[index] }));
const otherSeries = series.slice(shownSeries.length);
if (otherSeries.length) {
  shownSeries.push({
    name: otherSeries.length > 1 || otherSeries[0].isOther ? "others" : otherSeries[0].name, kind: REST_KIND,
    seconds: otherSeries.flatMap(({ seconds }) => seconds), sum: otherSeries.reduce((sum, entry) => sum + entry.sum, 0) });
}
const errorSum = series.reduce((sum, entry) => sum + entry.sum, 0);

function errorsModel() {
  const [from, to] = view;
  const size = STEPS.find(step => (to - from) / step <= MOST_BARS) ?? STEPS.at(-1);
  const first = Math.floor(from / size);
  const bins = Array.from({ length: Math.ceil(to / size) - first }, (_, index) => {
    const start = Math.max(from, (first + index) * size);
    return { from: start, to: Math.min(to, (first + index + 1) * size), counts: shownSeries.map(() => 0) };
  });
  shownSeries.forEach(({ seconds }, index) => {
    for (const [second, number] of seconds) {
      // Errors at the very end are in the last second.
      const moment = Math.min(second, Math.ceil(duration) - 1);
      if (moment >= from && moment < to) bins[Math.floor(moment / size) - first].counts[index] += number;
    }
  });
  const most = Math.max(1, ...bins.map(({ counts }) => counts.reduce((sum, number) => sum + number)));
  return {
    x: timeAxis(), bands: bands(),
    y: { title: size === 1 ? "Errors per second" : `Errors in ${size < 60 ? `${size} s` : `${size / 60} min`}`, ticks: linearTicks(most, 6, 1), format: shortCount },
    bars: bins.flatMap(({ from, to, counts }) => {
      let base = 0;
      return counts.map((number, index) => [from, to, base += number, base - number, shownSeries[index].kind])
        .filter(([, , top, bottom]) => top > bottom);
    }),
    stops: bins.map(({ from, to, counts }) => {
      const rows = counts.map((number, index) => [shownSeries[index].kind, shownSeries[index].name, count(number)])
        .filter((_, index) => counts[index]);
      return { x: (from + to) / 2, title: range(from, to), rows: rows.length ? rows : [["", "errors", "none"]] };
    }),
    keys: shownSeries.map(({ kind, name, sum }) => [kind, name, count(sum)]),
  };
}

function errorsNote() {
  const early = timeline.errors.flatMap(({ seconds }) => seconds).filter(([second]) => second < 0)
    .reduce((sum, [, number]) => sum + number, 0);
  const { mismatched, duplicated, reordered } = results.messages;
  const all = [...Object.values(results.errors), mismatched, duplicated, reordered].reduce((sum, number) => sum + number);
  const late = Math.max(0, all - errorSum - early);
  const rest = [early && `${count(early)} before the load`, late && `${count(late)} after its end`].filter(Boolean);
  return `${count(errorSum)} ${errorSum === 1 ? "error or wrong reply" : "errors and wrong replies"} during the load.`
    + (rest.length ? ` Not shown: ${rest.join(", and ")}.` : "");
}

/** The charts: the figure, whether there is anything to show, the description, and the model. */
export const timeCharts = [
  ["latency", answered.length, latencyNote, latencyModel],
  ["throughput", seconds.length, throughputNote, throughputModel],
  ["connections", seconds.length && timeline.connections, connectionsNote, connectionsModel],
  ["errors", seconds.length && shownSeries.length, errorsNote, errorsModel],
  // In this mode, latencies are the times to open connections.
  ["handshakes", mode !== "connect" && reopened.length, handshakesNote, handshakesModel],
];
/** The chart of connections opened before the load, if that took more than a second. */
export const openingChart = ["opening", opening.length > 1, openingNote, openingModel];
