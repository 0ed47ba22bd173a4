// The session: the behavior of the controls.

import { copyText, isPressed, offerThemes, saveFile, setPressed, toggle } from "../Shared/controls.js";
import { byID, html } from "../Shared/elements.js";
import { Filter, KINDS, SEARCHED } from "../Shared/filter.js";
import { visible } from "../Shared/text.js";
import { count, shortSize, time } from "../Shared/units.js";
import { Automaton } from "./automaton.js";
import { connections } from "./events.js";
import { List } from "./list.js";
import { MessageView } from "./message.js";
import { Relations } from "./relations.js";
import { Timeline } from "./timeline.js";

/** The time that filtering takes at once, looked at after some messages or after one of this size. */
const FILTER_MS = 25;
const FILTER_STEP = { messages: 64, bytes: 64 << 10 };

const all = connections();
const list = new List(byID("list"), { didSelect: selected, didScroll: markTimes });
const timeline = new Timeline(byID("timeline"), { didSelect: filterAgain, didPoint: pointAt });
const message = new MessageView(index => list.select(index));
let events;
let relations;

function showConnection(index) {
  events = all[index];
  events.read();
  relations?.stop();
  relations = new Relations(events, showRelations);
  list.show(events, relations);
  message.show(events, relations);
  timeline.show(events);
  showFacts();
  filterAgain();
}

// MARK: Facts

/** `12.3 s`, or `35 min 7 s`. */
function longTime(us) {
  const seconds = Math.round(us / 1e6);
  return seconds < 120 ? time(us) : `${count(Math.floor(seconds / 60))}\xa0min ${seconds % 60}\xa0s`;
}

function showFacts() {
  const { facts } = events;
  const start = new Date(facts.start_us / 1000);
  const side = (messages, bytes) => `${count(messages)} · ${shortSize(bytes)}`;
  const sums = { out: [0, 0], in: [0, 0] };
  for (let index = 0; index < events.count; index += 1) {
    const [direction, word] = events.kind(index).split(" ");
    if (word !== "text" && word !== "binary") continue;
    sums[direction][0] += 1;
    sums[direction][1] += events.sizes[index];
  }
  const sorted = relations.latencies.toSorted((one, other) => one - other);
  const replies = sorted.length
    ? `${count(sorted.length)} · median ${time(sorted[sorted.length >> 1])} · longest ${time(sorted.at(-1))}` : "";
  byID("url").textContent = visible(facts.url);
  byID("url").title = visible(facts.url);
  const rows = [
    ["Started", `${start.toLocaleDateString("sv")} ${start.toLocaleTimeString("sv")}`],
    ["Duration", longTime(events.duration)],
    ["Sent", side(...sums.out), "out"], ["Received", side(...sums.in), "in"], ["Replies", replies],
    ["Status", facts.status === 101 ? "" : String(facts.status)], ["Subprotocol", visible(facts.subprotocol ?? "")],
    ["Extensions", visible(facts.extensions ?? "")], ["Address", visible(facts.address ?? "")],
    ["Closed", events.ending],
  ];
  byID("facts").replaceChildren(...rows.filter(row => row[1]).map(([name, value, kind = ""]) => (
    html("div", {}, html("dt", { class: kind }, name), html("dd", {}, value)))));
}

function offerConnections() {
  const words = ({ facts }, index) => [
    `${index + 1} of ${all.length}: ${facts.client ? `client ${facts.client}, ` : ""}${visible(facts.url)}`,
    `${count(facts.sent)} sent`, `${count(facts.received)} received`,
  ].join(", ");
  byID("connection").append(...all.map((connection, index) => (
    html("option", { value: index }, words(connection, index)))));
  byID("connection").hidden = all.length < 2;
  byID("url").hidden = all.length > 1;
  byID("connection").addEventListener("change", () => showConnection(Number(byID("connection").value)));
}

function showRelations() {
  list.update();
  message.update();
  if (relations.isComplete) showFacts();
}

// MARK: Filter

/** The search under way or the last one: its filter, the rows found, and the numbers of events read and cut. */
let search;

/** The filter of the controls, or `undefined` if its expression is invalid, which is shown. */
function filterOfControls() {
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

/** Finds the rows. */
function filterAgain() {
  const filter = filterOfControls();
  if (!filter) return;
  const { range } = timeline;
  search = { filter, range, rows: [], readCount: 0, cutCount: 0, place: list.rows[list.visibleRange[0]] ?? 0 };
  filterRest(search);
  message.mark(filter.pattern);
  byID("range").hidden = !range;
  if (range) byID("range").textContent = `✕ ${longTime(range[0])} to ${longTime(range[1])}`;
}

/** Finds the rows of events that have not been read, in turns. */
function filterRest(current) {
  if (current !== search) return;
  const { filter, range, rows } = current;
  const end = performance.now() + FILTER_MS;
  let isDue = false;
  for (; current.readCount < events.count && !isDue; current.readCount += 1) {
    const index = current.readCount;
    isDue = (index % FILTER_STEP.messages === 0 || events.sizes[index] > FILTER_STEP.bytes) && performance.now() > end;
    if (range && (events.times[index] < range[0] || events.times[index] > range[1])) continue;
    const entry = events.entry(index);
    if (filter.accepts(entry)) rows.push(index);
    if (filter.pattern && (entry.bytes > SEARCHED[entry.opcode] || filter.pattern.isCut)) current.cutCount += 1;
    if (filter.pattern) filter.pattern.isCut = false;
  }
  const isComplete = current.readCount === events.count;
  list.filter(rows, filter.pattern);
  showCounts(rows.length, current.cutCount, !isComplete);
  if (!isComplete) return setTimeout(() => filterRest(current));
  timeline.filter(rows);
  // The list stays where it was.
  if (rows.length) list.scrollTo(list.placeOf(rows.includes(list.selected) ? list.selected : current.place));
  markTimes();
}

function showCounts(shown, cutCount, isSearching) {
  const cut = cutCount ? `, ${count(cutCount)} searched only at the beginning` : "";
  const words = shown === events.count ? `${count(shown)} in total` : `${count(shown)} of ${count(events.count)}`;
  byID("counts").textContent = words + cut + (isSearching ? " …" : "");
  byID("counts").dataset.isComplete = !isSearching;
  byID("empty").hidden = shown > 0 || isSearching;
  byID("empty").textContent = events.count ? "No message matches." : "This connection has no messages.";
}

function showAllTimes() {
  timeline.range = null;
  filterAgain();
}

byID("filter").addEventListener("input", filterAgain);
toggle("regex", filterAgain);
for (const kind of KINDS) toggle(`show-${kind}`, filterAgain);
byID("range").addEventListener("click", showAllTimes);

// MARK: Selection

function selected(index) {
  message.select(index);
  markTimes();
}

function markTimes() {
  timeline.mark(list.selected, list.visibleRange);
}

/** Scrolls the list to a time, and selects the first message there. */
function pointAt(time) {
  const place = list.rows.findIndex(index => events.times[index] >= time);
  if (list.rows.length) list.select(list.rows[place < 0 ? list.rows.length - 1 : place]);
}

function close() {
  list.selected = -1;
  list.update();
  selected(-1);
  byID("list").focus();
}

async function copy() {
  await copyText(message.plainText);
  byID("announcer").textContent = "Copied the message";
  byID("copy").textContent = "Copied";
  setTimeout(() => { byID("copy").textContent = "Copy"; }, 1500);
}

function save() {
  const { entry } = message;
  if (!entry.isMessage) return;
  const extension = entry.opcode === "text" ? "txt" : "bin";
  saveFile([entry.data], `message-${entry.number}.${extension}`, "application/octet-stream");
}

byID("copy").addEventListener("click", copy);
byID("save").addEventListener("click", save);
byID("close").addEventListener("click", close);

// MARK: Printing

addEventListener("beforeprint", () => {
  const omitted = list.print();
  byID("unprinted").textContent = omitted ? `${count(omitted)} more rows are not printed.` : "";
});
addEventListener("afterprint", () => list.endPrinting());

// MARK: Keys

function go(index) {
  if (index >= 0) list.select(index);
}

function escape(target) {
  if (target === byID("filter")) {
    byID("filter").value = "";
    filterAgain();
    byID("list").focus();
  } else if (timeline.range) {
    showAllTimes();
  } else {
    close();
  }
}

document.addEventListener("keydown", event => {
  if (event.altKey || event.ctrlKey || event.metaKey || byID("shortcuts").open) return;
  if (event.key === "Escape") return escape(event.target);
  if (event.target.matches("input[type=search], select")) {
    if (event.key !== "Enter" && event.key !== "ArrowDown" || event.target !== byID("filter")) return;
    event.preventDefault();
    byID("list").focus();
    if (list.rows.length && list.rows[list.placeOf(list.selected)] !== list.selected) list.select(list.rows[0]);
    return;
  }
  const index = list.selected;
  const keys = {
    "/": () => { byID("filter").focus(); byID("filter").select(); },
    "?": () => byID("shortcuts").showModal(),
    ...(index < 0 ? {} : {
      c: copy, s: save, p: () => go(relations.previous[index]), n: () => go(relations.next[index]),
      r: () => go(Math.max(relations.request[index], relations.reply[index])),
    }),
  };
  if (event.target === byID("list") || event.target === document.body) {
    byID("list").focus({ preventScroll: true });
    list.press(event);
  }
  if (event.key === "Enter" && event.target === byID("list") && index >= 0) keys.Enter = () => byID("content").focus();
  const action = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (!action) return;
  event.preventDefault();
  action();
});
byID("keys").addEventListener("click", () => byID("shortcuts").showModal());

offerThemes(byID("theme"), "wsx-session-theme");
offerConnections();
document.title = `wsx session ${visible(all[0].facts.url)}`;
showConnection(0);
