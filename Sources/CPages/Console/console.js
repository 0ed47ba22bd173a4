// The console: the behavior of the controls.

import { completeURL, Connection } from "./connection.js";
import { Log, MAXIMUM_BYTES, MAXIMUM_ENTRIES } from "./log.js";
import { Composer } from "../Shared/composer.js";
import { copyText, isPressed, offerThemes, saveFile, setPressed, toggle } from "../Shared/controls.js";
import { byID } from "../Shared/elements.js";
import { eventLine, eventWords, plainLine, recordingLine } from "../Shared/entries.js";
import { Filter, KINDS } from "../Shared/filter.js";
import { hexDigits, visible } from "../Shared/text.js";
import { count, shortSize } from "../Shared/units.js";
import { LogView } from "./view.js";

/** The minimum time between announcements by screen readers. */
const ANNOUNCEMENT_MS = 2000;
const ANNOUNCED_CHARACTERS = 200;
const COUNTDOWN_MS = 500;

const log = new Log();
const connection = new Connection({ didLog: logged, didChange: showState });
const view = new LogView(byID("log"), log, currentFilter(), { didChange: showCounts, didFollow: showFollowing });
const composer = new Composer({
  form: byID("composer"), message: byID("message"), file: byID("file"), verdict: byID("verdict"),
  format: byID("format"),
}, data => {
  if (!connection.send(data)) throw new Error("Not connected; connect first");
});

// MARK: Log

let announcedTime = 0;
let announcementTimer = 0;
let unannounced = [0, ""];

function logged(entry) {
  log.add(entry);
  view.update();
  if (entry.type === "message") return entry.direction === "in" && announceLater(entry);
  announce(`${entry.type}: ${eventWords(entry)}`);
}

function announce(words) {
  byID("announcer").textContent = words;
}

/** Announces a message to screen readers, or the number of messages if there are many. */
function announceLater(entry) {
  const words = entry.opcode === "text"
    ? visible(entry.data.slice(0, ANNOUNCED_CHARACTERS)) : `binary, ${shortSize(entry.bytes)}`;
  unannounced = [unannounced[0] + 1, words];
  if (announcementTimer) return;
  announcementTimer = setTimeout(() => {
    announce(unannounced[0] === 1 ? `Received: ${unannounced[1]}` : `${unannounced[0]} messages received`);
    unannounced = [0, ""];
    announcementTimer = 0;
    announcedTime = performance.now();
  }, Math.max(0, announcedTime + ANNOUNCEMENT_MS - performance.now()));
}

function currentFilter() {
  const shown = Object.fromEntries(KINDS.map(kind => [kind, isPressed(`show-${kind}`)]));
  return new Filter({ words: byID("filter").value, shown });
}

function showCounts() {
  const side = (arrow, { messages, bytes }) => `${arrow} ${count(messages)} · ${shortSize(bytes)}`;
  byID("traffic").textContent = `${side("↑", log.traffic.out)}   ${side("↓", log.traffic.in)}`;
  const rows = view.rowCount;
  const all = log.entries.length;
  const waiting = view.waitingCount;
  byID("counts").textContent = [
    rows !== all ? `${count(rows)} of ${count(all)}` : all === 1 ? "1 entry" : `${count(all)} entries`,
    view.isPaused && waiting ? `${count(waiting)} new` : "",
    log.droppedCount ? `${count(log.droppedCount)} dropped` : "",
  ].filter(Boolean).join(" · ");
  byID("empty").hidden = rows > 0 || waiting > 0;
  byID("empty").textContent = all ? "No entries match the filter." : "Sent and received messages appear here.";
}

function showFollowing() {
  setPressed("follow", view.isFollowing);
  byID("latest").hidden = view.isFollowing;
}

byID("counts").title = `The log keeps the latest ${count(MAXIMUM_ENTRIES)} entries, and up to `
  + `${shortSize(MAXIMUM_BYTES)} of messages`;
for (const kind of KINDS) toggle(`show-${kind}`, () => view.rebuild(currentFilter()));
byID("filter").addEventListener("input", () => view.rebuild(currentFilter()));
toggle("pretty", isOn => {
  view.isPretty = isOn;
  view.rebuild();
});
toggle("follow", isOn => { view.isFollowing = isOn; });
toggle("pause", isOn => {
  view.isPaused = isOn;
  view.update();
});
byID("latest").addEventListener("click", () => {
  view.isFollowing = true;
  composer.focus();
});
byID("clear").addEventListener("click", () => {
  log.clear();
  view.rebuild();
});
byID("copy").addEventListener("click", () => copy(view.wantedEntries.map(plainLine).join("\n"), "the log"));
byID("save").addEventListener("click", () => {
  const lines = [recordingLine(), ...view.wantedEntries.map(eventLine)];
  saveFile([lines.join("\n") + "\n"], "wsx-console.jsonl", "application/jsonl");
});

// MARK: Entry buttons

// The buttons move from row to row, and are removed together with their row.
const actions = byID("actions");
const actionButtons = {
  expand: byID("entry-expand"), copy: byID("entry-copy"), save: byID("entry-save"),
  edit: byID("entry-edit"),
};
const rowActions = {
  expand: row => view.toggleWhole(row),
  copy: row => {
    const entry = view.entry(row);
    if (entry.type !== "message") copy(eventWords(entry), "the entry");
    else copy(entry.opcode === "text" ? entry.data : hexDigits(entry.data), "the entry");
  },
  save: row => {
    const entry = view.entry(row);
    if (entry.type !== "message") return;
    const extension = entry.opcode === "text" ? "txt" : "bin";
    saveFile([entry.data], `message-${entry.number + 1}.${extension}`, "application/octet-stream");
  },
  edit: row => {
    const entry = view.entry(row);
    if (entry.type !== "message") return;
    if (entry.opcode === "text") composer.edit(composer.form === "json" ? "json" : "text", entry.data);
    else composer.edit("hex", hexDigits(entry.data));
  },
};
const ACTION_KEYS = { Enter: "expand", " ": "expand", c: "copy", s: "save", e: "edit" };

/** Moves the buttons for an entry to its row. */
function offerActions(row) {
  if (!row || actions.contains(document.activeElement)) return;
  const isMessage = view.entry(row).type === "message";
  actionButtons.save.hidden = actionButtons.edit.hidden = !isMessage;
  showFolding(row);
  actions.hidden = false;
  row.append(actions);
}

function showFolding(row) {
  actionButtons.expand.hidden = !view.canFold(row);
  actionButtons.expand.textContent = view.isWhole(row) ? "Collapse" : "Expand";
}

function act(name, row) {
  rowActions[name](row);
  if (name === "expand") showFolding(row);
}

for (const [name, button] of Object.entries(actionButtons)) {
  button.addEventListener("click", () => act(name, view.row(actions)));
}
byID("log").addEventListener("pointerover", ({ target }) => offerActions(view.row(target)));
byID("log").addEventListener("focusin", ({ target }) => offerActions(view.row(target)));
byID("log").addEventListener("click", ({ target }) => {
  if (target.matches("button.rest")) act("expand", view.row(target));
});
byID("log").addEventListener("keydown", event => {
  if (event.altKey || event.ctrlKey || event.metaKey || actions.contains(event.target)) return;
  const row = view.row(event.target);
  const moves = {
    ArrowUp: () => view.neighbor(row, -1), ArrowDown: () => view.neighbor(row, 1),
    Home: () => view.neighbor(null, 1), End: () => view.neighbor(null, -1),
  };
  const action = ACTION_KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (moves[event.key]) moves[event.key]()?.focus();
  else if (row && action) act(action, row);
  else return;
  event.preventDefault();
});

// MARK: Connection

let countdown = 0;

function showState() {
  clearInterval(countdown);
  const { state } = connection;
  const isOff = state === "closed";
  byID("state").dataset.state = state;
  byID("connect").textContent =
    isOff ? "Connect" : state === "open" || state === "closing" ? "Disconnect" : "Cancel";
  byID("connect").classList.toggle("primary", isOff);
  document.title = state === "open" ? "● wsx console" : "wsx console";
  const words = {
    closed: () => "Not connected",
    connecting: () => "Connecting…",
    open: () => ["Connected", connection.subprotocol, connection.extensions].filter(Boolean).map(visible).join(" · "),
    closing: () => "Closing…",
    waiting: () => `Reconnecting in ${Math.max(1, Math.ceil((connection.retryTime - Date.now()) / 1000))} s`,
  }[state];
  const show = () => { byID("state-words").textContent = words(); };
  show();
  if (state === "waiting") countdown = setInterval(show, COUNTDOWN_MS);
}

function connect() {
  const subprotocols = byID("subprotocols").value.split(/[\s,]+/).filter(Boolean);
  connection.connect({ url: completeURL(byID("url").value), subprotocols });
}

byID("connection").addEventListener("submit", event => {
  event.preventDefault();
  if (connection.state === "closed") connect();
  else connection.disconnect();
});
byID("connection").addEventListener("keydown", event => {
  // Enter in a field connects to the URL in it, whatever the button shows.
  if (event.key !== "Enter" || !event.target.matches(".field input")) return;
  event.preventDefault();
  connect();
});
byID("reconnect").addEventListener("click", connect);
toggle("retries", isOn => connection.setRetries(isOn));

/** The URL of the page's own server. */
function ownURL() {
  const path = document.querySelector('meta[name="wsx-path"]').content;
  return `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}${path}`;
}

// MARK: Clipboard, keys

async function copy(text, what) {
  await copyText(text);
  announce(`Copied ${what}`);
}

byID("keys").addEventListener("click", () => byID("shortcuts").showModal());
document.addEventListener("keydown", event => {
  if (byID("shortcuts").open) return;
  if (event.key === "F1") byID("shortcuts").showModal();
  else if (event.key === "Escape") composer.focus();
  else if (event.key === "/" && (event.ctrlKey || event.metaKey)) byID("filter").focus();
  else return;
  event.preventDefault();
});

offerThemes(byID("theme"), "wsx-console-theme");
byID("url").value = ownURL();
byID("connect").focus();
showState();
showCounts();
