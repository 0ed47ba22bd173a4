// The session: the behavior of the controls.

import { copyText, offerThemes, saveFile, sparingly, toggle } from "../Shared/controls.js";
import { byID } from "../Shared/elements.js";
import { KINDS } from "../Shared/filter.js";
import { visible } from "../Shared/text.js";
import { count } from "../Shared/units.js";
import { ConnectionList } from "./connections.js";
import { offerCopies, pageText } from "./copies.js";
import { savedEvents } from "./events.js";
import { longTime, showFacts } from "./facts.js";
import { List } from "./list.js";
import { startLive } from "./live.js";
import { MessageView } from "./message.js";
import { Relations } from "./relations.js";
import { filterOfControls, Search } from "./search.js";
import { Timeline } from "./timeline.js";

const isLive = document.querySelector("meta[name=wsx-live]") !== null;
// Before anything changes it.
const page = isLive ? pageText() : "";
const events = savedEvents();
const list = new List(byID("list"), { didSelect: selected, didScroll: markTimes });
const timeline = new Timeline(byID("timeline"), { didSelect: filterAgain, didPoint: pointAt });
const message = new MessageView(index => list.select(index));
const connectionList = new ConnectionList(byID("connections"), showConnection);
const relations = new Relations(events, showRelations);

/** Shows a connection, or all of them for `null`. */
function showConnection(connection) {
  events.shown = connection;
  list.show(events, relations);
  message.show(events, relations);
  timeline.range = null;
  filterAgain();
  showSums();
}

function showRelations() {
  list.update();
  message.update();
  if (relations.isComplete) refresh();
}

/** Shows what takes the longer the more events there are. */
function showSums() {
  connectionList.update(events);
  showFacts(events, relations);
  timeline.show(events, search.rows);
  markTimes();
  const only = events.shown ?? (events.connections.length === 1 ? events.connections[0] : null);
  byID("copy-connection").hidden = !/^(?:wss?|echo):/.test(only?.facts.url);
}

const refresh = sparingly(showSums);

/** Shows events that have been added. */
function readAdded() {
  relations.read();
  search.read();
}

/** Forgets the first events, which the page has dropped. */
function forget(count) {
  relations.drop(count);
  list.drop(count, () => search.drop(count));
  message.drop(count);
}

// MARK: Search

/** The search under way, or the last one. */
let search;

/** Finds the rows. */
function filterAgain() {
  const filter = filterOfControls();
  if (!filter) return;
  const { range } = timeline;
  let place = list.rows[list.visibleRange[0]] ?? 0;
  search?.stop();
  search = new Search(events, filter, range, () => {
    showCounts();
    list.update();
    if (!search.isComplete) return;
    refresh();
    if (place === null) return;
    // The list stays where it was.
    if (search.rows.length) list.scrollTo(list.placeOf(list.isListed ? list.selected : place));
    list.markSeen();
    place = null;
  });
  list.filter(search.rows, filter.pattern);
  search.read();
  message.mark(filter.pattern);
  byID("range").hidden = !range;
  const words = range?.map(time => longTime(Math.max(0, time - events.start))).join(" to ");
  if (range) byID("range").textContent = `✕ ${words}`;
}

function showCounts() {
  const { rows, cutCount, isComplete } = search;
  const all = events.shown ? events.shown.eventCount + events.none.eventCount : events.count;
  const cut = cutCount ? `, ${count(cutCount)} searched only at the beginning` : "";
  const omitted = events.omittedCount ? `, ${count(events.omittedCount)} messages are not in the page` : "";
  const words = rows.length === all ? `${count(all)} in total` : `${count(rows.length)} of ${count(all)}`;
  byID("counts").textContent = words + omitted + cut + (isComplete ? "" : " …");
  byID("counts").dataset.isComplete = isComplete;
  byID("empty").hidden = rows.length > 0 || !isComplete;
  byID("empty").textContent = all ? "No message matches." : "There are no messages.";
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
  byID("latest").hidden = !list.canFollow || !list.newCount;
  byID("latest").textContent = `↓ ${count(list.newCount)} new`;
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

byID("latest").addEventListener("click", () => list.follow());
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

/** Goes to a panel of the live page. */
let openPanel = () => {};

function go(index) {
  if (index >= 0) list.select(index);
}

function escape(target) {
  if (target === byID("filter")) {
    byID("filter").value = "";
    filterAgain();
    byID("list").focus();
  } else if (target.matches("input, textarea")) {
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
  if (event.target.matches("input:not([type=radio]), textarea")) {
    if (event.key !== "Enter" && event.key !== "ArrowDown" || event.target !== byID("filter")) return;
    event.preventDefault();
    byID("list").focus();
    if (list.rows.length && !list.isListed) list.select(list.rows[0]);
    return;
  }
  const index = list.selected;
  const keys = {
    "/": () => { byID("filter").focus(); byID("filter").select(); },
    "?": () => byID("shortcuts").showModal(),
    m: () => openPanel("sending"), h: () => openPanel("holding"),
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
offerCopies(byID("connection-copies"), events, () => events.shown ?? events.connections[0], () => undefined);
offerCopies(byID("message-copies"), events, () => message.entry.connection, () => message.entry);
document.title = `wsx session ${visible(events.connections[0]?.facts.url ?? "")}`;
list.canFollow = isLive;
showConnection(events.connections[0] ?? null);
if (isLive) openPanel = startLive(events, { readAdded, forget, refresh, showAll: () => showConnection(null) }, page);
