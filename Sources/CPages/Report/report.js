// The results of a load test as figures, charts, and tables.

import { byID, html } from "../Shared/elements.js";
import { count, linearTicks, time } from "../Shared/units.js";
import { Chart, logTicks } from "./chart.js";
import { LATENCIES, RATES, isZoomed, latencyAxis, openingChart, scaleView, seconds, shiftView } from "./seconds.js";
import { show, timeCharts, viewWords, words } from "./seconds.js";
import { THINGS, bars, causeWords, curve, facts, faults, fraction, label, latency, mode, results } from "./words.js";
import { rounded, short, shortCount } from "./words.js";

const { messages, errors, thresholds } = results;

/** The percentage that all but one in this many make up: `99.9 %`. */
const percent = oneOf => `${Number((100 - 100 / oneOf).toFixed(1 + Math.ceil(Math.log10(oneOf))))} %`;

// The charts and their descriptions.

function curveModel(isLog) {
  const end = curve.at(-1).one_of;
  const powers = Array.from({ length: Math.ceil(Math.log10(end)) }, (_, power) => 10 ** power);
  const title = oneOf =>
    (oneOf === end ? `All ${THINGS}` : oneOf === 1 ? "The fastest" : `${percent(oneOf)} of ${THINGS}`);
  return {
    x: { title: "Percentile", isLog: true, ticks: [1, 2, ...powers.slice(1)], end, format: percent },
    y: latencyAxis("Latency", curve.map(point => point.us), isLog),
    lines: [{ name: "", kind: "first", points: curve.map(point => [point.one_of, point.us]) }],
    stops: curve.map(({ one_of: x, us }) => ({ x, title: title(x), rows: [["first", "up to", time(us), us]] })),
  };
}

const curveNote = () => `Half of the ${THINGS} took up to ${time(latency.p50)}, 99 % up to ${time(latency.p99)}, `
  + `all up to ${time(latency.max)}.`;

function histogramModel() {
  const [start, end] = [bars[0].from_us, bars.at(-1).to_us];
  const all = bars.reduce((sum, bar) => sum + bar.replies, 0);
  const most = Math.max(...bars.map(bar => bar.replies));
  const ticks = logTicks(start, end).filter(tick => tick >= start && tick <= end);
  // A single bar does not fill the chart.
  const margin = bars.length > 1 ? 1 : 1.05;
  return {
    x: {
      title: "Latency, logarithmic", isLog: true, format: us => time(us, short),
      start: start / margin, end: end * margin, ticks: ticks.length > 1 ? ticks : [start, end] },
    // Leave room for the labels of the marks.
    y: { title: `Number of ${THINGS}`, ticks: linearTicks(most * 1.2, 6, 1), format: shortCount },
    bars: bars.filter(bar => bar.replies).map(bar => [bar.from_us, bar.to_us, bar.replies]),
    marks: [["p50", "third"], ["p99", "second"]].map(([field, kind]) => (
      { name: `${field} ${time(latency[field])}`, kind, x: latency[field] })),
    stops: bars.map(({ from_us, to_us, replies }) => ({
      x: Math.sqrt(from_us * to_us), title: `${time(from_us)} – ${time(to_us)}`,
      rows: [["first", THINGS, count(replies), replies], ["", "of all", `${short(100 * replies / all)} %`]] })),
  };
}

function histogramNote() {
  const peak = bars.reduce((peak, bar) => (bar.replies > peak.replies ? bar : peak));
  return `Number of ${THINGS} by latency. The peak is between ${time(peak.from_us)} and ${time(peak.to_us)}.`;
}

const rateSteps = results.rate_search?.steps.toSorted((one, other) => one.rate_asked - other.rate_asked) ?? [];
const measuredRates = rateSteps.filter(step => step.latency_us.max);

/** The latencies of each rate of a search. A rate with several measurements has their medians. */
function ratesModel(isLog) {
  const rates = [...new Set(measuredRates.map(step => step.rate_asked))];
  const middle = values => values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)];
  const fields = [["p50", "first"], ["p99", "second"]];
  const rows = rates.map(rate => {
    const steps = measuredRates.filter(step => step.rate_asked === rate);
    return { rate, steps, values: fields.map(([field]) => middle(steps.map(step => step.latency_us[field]))) };
  });
  const ticks = linearTicks(rates.at(-1), 6, 1);
  const outcomes = ({ steps }) => `${steps.filter(step => step.outcome === "held").length} of ${steps.length} held`;
  return {
    x: { title: "Messages per second", ticks, format: shortCount },
    y: latencyAxis("Latency", rows.flatMap(row => row.values), isLog),
    lines: fields.map(([name, kind], index) => ({ name, kind, points: rows.map(row => [row.rate, row.values[index]]) })),
    marks: results.rate_search.rate ? [{ name: `held ${shortCount(results.rate_search.rate)}`, kind: "third", x: results.rate_search.rate }] : [],
    keys: fields.map(([name, kind]) => [kind, name, ""]),
    stops: rows.map(row => ({
      x: row.rate, title: `${count(row.rate)} per second: ${outcomes(row)}`,
      rows: fields.map(([name, kind], index) => [kind, name, time(row.values[index]), row.values[index]]) })),
  };
}

const ratesNote = () => `Latency by the rate of ${count(rateSteps.length)} measurements. `
  + (results.rate_search.rate ? `The highest rate that holds is ${count(results.rate_search.rate)} per second.` : "No rate holds.");

/** Adds charts to their figures, and removes the figures of those without anything to show. */
function makeCharts(charts, group) {
  return charts.filter(([id, values]) => {
    if (!values) byID(id).remove();
    return values;
  }).map(([id, , note, model]) => ({ chart: new Chart(byID(id), note(), group), model }));
}

function showCharts() {
  const draw = charts => {
    const isLog = document.querySelector("[name=scale]:checked").value === "log";
    for (const { chart, model } of charts) chart.show(model(isLog));
  };
  const zoom = change => (...values) => {
    change(...values);
    byID("zoom").hidden = !isZoomed();
    byID("view").textContent = isZoomed() ? `The charts over time show ${viewWords()}.` : "";
    draw(timed);
  };
  const timed = makeCharts(timeCharts, {
    select: zoom(show), scale: zoom(scaleView), shift: zoom(shiftView),
    moved: (mover, x) => timed.forEach(({ chart }) => chart === mover || chart.follow(x)) });
  const charts = [...timed, ...makeCharts([
    ["rates", measuredRates.length, ratesNote, ratesModel], openingChart, ["curve", bars.length, curveNote, curveModel], ["histogram", bars.length, histogramNote, histogramModel]])];
  const showAll = () => isZoomed() && zoom(show)(0, Infinity);
  byID("scale").addEventListener("change", () => draw(charts));
  byID("scale").hidden = !bars.length;
  byID("silence").hidden = bars.length;
  byID("hint").hidden = !charts.length;
  byID("zoom").querySelector("button").addEventListener("click", () => {
    showAll();
    document.querySelector("figure .plot").focus();
  });
  document.addEventListener("keydown", event => event.key === "Escape" && showAll());
  draw(charts);
}

// Figures and tables.

const isWrong = field => faults.includes(field) || field in errors;
/** The faults by kind: `40 lost, 2 mismatched`. The longest word has a soft hyphen for narrow boxes. */
const faultWords = counts => Object.entries(counts).filter(([field, number]) => isWrong(field) && number)
  .map(([field, number]) => `${count(number)} ${field.replace("mism", "mis\u00adm")}`).join(", ");
const wrongSum = counts => Object.keys(counts).filter(isWrong).reduce((sum, field) => sum + counts[field], 0);

const VERDICT = { passed: "Passed", failed: "Failed", inconclusive: "Inconclusive" }[results.result.verdict];

/** Shows whether the run passed, why not, and each threshold with its limit. */
function showVerdict() {
  const { passed, reasons } = results.result;
  const verdict = byID("verdict");
  verdict.className = results.result.verdict;
  verdict.firstChild.textContent = VERDICT;
  if (reasons.length > 1) verdict.append(":", html("ul", {}, ...reasons.map(reason => html("li", {}, reason))));
  else if (!passed) verdict.append(`: ${reasons[0]}`);
  byID("thresholds").hidden = !thresholds.length;
  const unit = { us: time, share: share => `${fraction(100 * share)} %`, count: value => rounded(value) };
  document.querySelector("#thresholds div").append(table(["", "", "value", "limit", "margin"], thresholds.map(
    ({ expression, value, limit, unit: name, margin, met, without_delay }) => [expression,
      html("td", { class: met ? "" : "wrong" },
        met ? "met" : value === null || without_delay !== undefined ? "inconclusive" : "not met"),
      value === null ? html("td", {}, "nothing measured") : cell(value, unit[name](value), !met),
      cell(limit, unit[name](limit)),
      html("td", {}, margin === null ? "" : signedPercent(margin))])));
}

function showKeyFigures() {
  const [wrong, failed] = [wrongSum(messages), wrongSum(errors)];
  const figures = [
    [`${THINGS} per second`, rounded(results.rate_per_second)],
    ...(bars.length ? ["p50", "p99", "max"].map(field => [field, time(latency[field])]) : []),
    ["Messages", wrong ? faultWords(messages) : `${count(messages.received)} ${mode === "echo" ? "correct" : "received"}`, wrong],
    ["Errors", failed ? count(failed) : "none", failed,
      results.causes.slice(0, 2).map(cause => `${count(cause.count)} × ${causeWords(cause)}`)],
  ];
  byID("key").append(...figures.map(([name, text, isWrong, details = []]) =>
    html("div", {}, html("dt", {}, name), html("dd", { class: isWrong ? "wrong" : "" }, text),
      ...details.map(detail => html("dd", { class: "detail" }, detail)))));
}

function table(columns, rows) {
  return html("table", {},
    html("thead", {}, html("tr", {}, ...columns.map(name => html("th", { scope: "col" }, name)))),
    html("tbody", {}, ...rows.map(([name, ...cells]) => html("tr", {}, html("th", { scope: "row" }, name), ...cells))));
}

/** A table cell with a formatted number and its raw value. */
const cell = (value, text, isWrong) => html("td", { class: isWrong ? "wrong" : "" }, html("data", { value }, text));

/** Shows the targets and results of stages. */
function showStages(stages) {
  byID("stages").hidden = !stages.length;
  const target = stages.some(stage => "target_rate" in stage) ? "target_rate" : "target_connections";
  const percentiles = stages.some(stage => stage.latency_us) ? ["p50", "p99", "max"] : [];
  const counts = ["sent", "received", "mismatched", "lost", "timeout"];
  const columns = ["stage", label(target), "seconds", "per second", ...counts, ...percentiles];
  document.querySelector("#stages div").append(table(columns, stages.map(stage => [stage.name,
    cell(stage[target], count(stage[target])), cell(stage.duration_s, short(stage.duration_s)),
    cell(stage.rate_per_second, rounded(stage.rate_per_second)),
    ...counts.map(field => cell(stage[field], count(stage[field]), stage[field] && isWrong(field))),
    ...percentiles.map(field => cell(stage.latency_us?.[field],
      stage.latency_us && stage.received ? time(stage.latency_us[field]) : "–"))])));
}

/** Shows the measurements of a search for the highest rate. */
function showSearch() {
  byID("search").hidden = !rateSteps.length;
  const columns = ["rate", "", "achieved", "p50", "p99", "max", "reasons"];
  document.querySelector("#search div").append(table(columns, rateSteps.map(step => [count(step.rate_asked),
    html("td", { class: step.outcome === "held" ? "" : "wrong" }, step.outcome),
    cell(step.rate_per_second, rounded(step.rate_per_second)),
    ...["p50", "p99", "max"].map(field => cell(step.latency_us[field], step.latency_us.max ? time(step.latency_us[field]) : "–")),
    html("td", {}, step.reasons.join("; "))])));
}

function showTables() {
  const own = Object.keys(results).filter(field => field.endsWith("_us") && results[field]?.min !== undefined)
    .map(field => [label(field), results[field]]).filter(([name]) => !["latency", "handshake"].includes(name));
  const phases = mode === "connect" ? Object.entries(results.handshake_phases_us) : [];
  const times = [
    ["latency", latency],
    ...(results.stream ? [["first message", results.stream.first_us], ["longest gap", results.stream.gap_us]] : []),
    ["handshake", results.handshake_us],
    ...[...own, ...phases].filter(([, summary]) => summary.max),
  ];
  // The sum is only needed for exact merging.
  const statistics = Object.keys(results.handshake_us).filter(field => field !== "sum");
  byID("times").append(table(["", ...times.map(([name]) => name)], statistics.map(field => [label(field),
    ...times.map(([, summary]) => cell(summary[field], summary.max ? time(summary[field]) : "–"))])));
  for (const group of ["messages", "errors", "bytes"]) {
    byID("counts").append(table([group, ""], Object.entries(results[group]).map(([field, number]) => [
      label(field), cell(number, count(number), number && group !== "bytes" && isWrong(field))])));
  }
  if (results.causes.length) {
    byID("counts").append(table(["causes of errors", ""], results.causes.map(cause => [
      causeWords(cause), cell(cause.count, count(cause.count), true)])));
  }
  byID("facts").append(...facts.flatMap(({ name, value }) => [html("dt", {}, name), html("dd", {}, value)]));
}

const signedPercent = share => `${share < 0 ? "−" : "+"}${Math.abs(100 * share).toFixed(1)} %`;

/** The outcome of a comparison in words. */
function outcome(verdict, reason, variation) {
  if (verdict === "unknown") return "too few seconds";
  if (verdict !== "noise") return verdict;
  if (reason === "same") return "no change";
  return variation ? `unclear (varies by ±${Math.round(100 * variation)} %)` : "unclear";
}

/** Shows the comparison with earlier runs. */
function showBaseline(baseline) {
  if (!baseline) return;
  byID("baseline").hidden = false;
  const formats = { rate_per_second: rounded, failed: share => `${fraction(100 * share)} %` };
  const runs = baseline.runs === 1 ? "The run" : `The medians of ${count(baseline.runs)} runs, the first`;
  document.querySelector("#baseline p").textContent =
    `${runs} from ${baseline.start_time.slice(0, 19)}Z, with ${count(baseline.seconds)} seconds; now ${count(baseline.seconds_now)}.`;
  const shown = (metric, value) => (
    value === null ? html("td", {}, "–") : cell(value, (formats[metric] ?? time)(value)));
  const rows = [...baseline.metrics, ...baseline.steps ?? []].map(({ step, metric, change, verdict, reason, variation, ...values }) => [
    (step ? `${step} ` : "") + label(metric),
    html("td", { class: ["slower", "more"].includes(verdict) ? "wrong" : "" }, outcome(verdict, reason, variation)),
    shown(metric, values.baseline), shown(metric, values.now),
    html("td", {}, change === null ? "–" : signedPercent(change))]);
  document.querySelector("#baseline div").append(table(["median second", "", "baseline", "now", "change"], rows));
}

/** Shows the steps of a scenario that have a name or faults. */
function showSteps() {
  const steps = (results.steps ?? []).filter(step => step.latency_us || step.mismatched || step.lost);
  if (!steps.length) return;
  byID("steps").hidden = false;
  const statistics = ["p50", "p99", "max"];
  const rows = steps.map(step => [
    step.name, cell(step.received, count(step.received)),
    ...[step.mismatched, step.timeout, Math.max(0, step.lost - step.timeout)].map(
      number => cell(number, count(number), number)),
    ...statistics.map(field => (step.latency_us?.max
      ? cell(step.latency_us[field], time(step.latency_us[field])) : html("td", {}, "–")))]);
  byID("steps").append(
    html("h2", {}, "Steps"),
    html("div", { class: "wide" }, table(["", "passed", "wrong", "timed out", "closed", ...statistics], rows)));
  const streams = steps.filter(step => step.stream);
  if (streams.length) {
    const columns = ["replies", "first p50", "first p99", "longest gap p50", "longest gap p99", "messages, mean", "messages, max"];
    byID("steps").append(html("div", { class: "wide" }, table(columns, streams.map(({ name, stream }) => [name,
      ...[stream.first_us.p50, stream.first_us.p99, stream.gap_us.p50, stream.gap_us.p99].map(us => cell(us, time(us))),
      ...[stream.messages.mean, stream.messages.max].map(number => cell(number, short(number)))]))));
  }
  if (results.rate_asked || (results.stages ?? []).some(stage => "target_rate" in stage)) {
    byID("steps").append(html("p", {}, "The first step that waits counts from the time at which its iteration was due. "
      + "The others are service times, from the beginning of the step."));
  }
}

/** Creates the table of seconds when it is opened, because an hour has 3,600 rows. */
function prepareSeconds() {
  const fields = [...RATES, ...LATENCIES];
  byID("seconds").hidden = !seconds.length;
  byID("seconds").addEventListener("toggle", () => {
    document.querySelector("#seconds div").append(table(["time", ...fields.map(label)], seconds.map(second => [
      second.title, ...fields.map(field => html("td", {}, words(second, field)))])));
  }, { once: true });
}

byID("target").textContent = facts[0].value;
if (results.title) document.querySelector("h1").textContent = results.title;
document.title = `${VERDICT}: ${results.title ?? `wsx bench ${facts[0].value}`}`;
showVerdict();
byID("warnings").append(...results.warnings.map(text => html("p", {}, html("strong", {}, "Warning: "), text)));
showKeyFigures();
showCharts();
showTables();
showSearch();
showSteps();
showBaseline(results.baseline);
showStages(results.stages ?? []);
prepareSeconds();
