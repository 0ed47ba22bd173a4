// The view of a message: its contents, what has changed, and related messages.

import { byID, html } from "../Shared/elements.js";
import { eventWords } from "../Shared/entries.js";
import { appendPieces, cell, entryPieces, excerpt, imageTypeOf, isJSONEntry } from "../Shared/pieces.js";
import { limitOf, showImage, WHOLE } from "../Shared/pieces.js";
import { dumpPieces, visible } from "../Shared/text.js";
import { exactSize, time } from "../Shared/units.js";
import { changesBetween } from "./changes.js";

/** Longer messages are not compared, as by `/diff`. */
const COMPARED_CHARACTERS = 256 << 10;
// On screens too narrow for 16 bytes, dumps have shorter lines.
const narrow = matchMedia("(max-width: 30rem)");

/** Shows one event of a connection at a time. */
export class MessageView {
  /** The entry shown, or `null`. */
  entry = null;

  #events;
  #relations;
  #pattern = null;
  #select;

  /** Calls `select(index)` when the user follows a link to another message. */
  constructor(select) {
    this.#select = select;
    for (const radio of document.querySelectorAll("[name=form]")) radio.addEventListener("change", () => this.#paint());
    narrow.addEventListener("change", () => this.#paint());
  }

  /** Shows the events of a connection, none at first. */
  show(events, relations) {
    this.#events = events;
    this.#relations = relations;
    this.select(-1);
  }

  /** Shows an event, or none if the index is -1. */
  select(index) {
    this.entry = index < 0 ? null : this.#events.entry(index);
    byID("hint").hidden = index >= 0;
    byID("head").hidden = byID("content").hidden = index < 0;
    byID("message").classList.toggle("open", index >= 0);
    if (index < 0) return;
    this.#showHead(index);
    this.update();
    this.#paint();
  }

  /** Marks the matches of another pattern. */
  mark(pattern) {
    this.#pattern = pattern;
    if (this.entry) this.#paint();
  }

  /** Shows the relations again, of which more may be known now. */
  update() {
    if (!this.entry) return;
    const index = this.entry.number - 1;
    const { previous, next, request, reply } = this.#relations;
    byID("relations").replaceChildren(
      this.#link("Reply to", request[index], "R", request[index] < 0 ? 0 : this.#relations.latency(index)),
      this.#link("Reply", reply[index], "R", reply[index] < 0 ? 0 : this.#relations.latency(reply[index])),
      this.#link("Previous of its kind", previous[index], "P"),
      this.#link(previous[index] < 0 ? "Next of its kind" : "Next", next[index], "N"));
    this.#showChanges(previous[index]);
  }

  #link(words, index, key, latency) {
    if (index < 0) return "";
    const text = `${words} #${index + 1}${latency === undefined ? "" : ` after ${time(latency)}`}`;
    const button = html("button", { type: "button", title: `Go to message ${index + 1} (${key})` }, text);
    button.addEventListener("click", () => this.#select(index));
    return button;
  }

  #showHead(index) {
    const { entry } = this;
    const sent = entry.direction === "out" ? "sent" : "received";
    byID("title").replaceChildren(
      cell("quiet", `#${entry.number} `), cell(entry.direction, entry.direction === "out" ? "→ " : "← "),
      entry.isMessage ? `${sent}, ${entry.opcode}, ${exactSize(entry.bytes)}` : `${entry.type}, ${sent}`);
    const moment = new Date(entry.time);
    const microseconds = String(((this.#events.start + this.#events.times[index]) % 1e6 + 1e6) % 1e6).padStart(6, "0");
    const pause = index ? Math.max(0, this.#events.times[index] - this.#events.times[index - 1]) : 0;
    const after = index ? `, ${time(pause)} after #${index}` : "";
    byID("times").textContent = `${moment.toLocaleDateString("sv")} ${moment.toLocaleTimeString("sv")}.${microseconds}`
      + ` · +${time(Math.max(0, this.#events.times[index]))}${after}`;
    for (const radio of document.querySelectorAll("[name=form]")) {
      radio.disabled = !entry.isMessage || (entry.opcode === "binary" && radio.value === "raw");
    }
    byID("save").hidden = !entry.isMessage;
  }

  #showChanges(previous) {
    const box = byID("changes");
    box.hidden = true;
    if (previous < 0 || this.entry.data.length > COMPARED_CHARACTERS) return;
    let found;
    try {
      found = changesBetween(this.#events.entry(previous).data, this.entry.data);
    } catch {
      // They are nested too deeply for this browser.
      return;
    }
    const { changes, omittedCount } = found;
    const value = (kind, text) => cell(kind, visible(text));
    const lines = changes.map(({ path, from, to }) => html("li", {},
      value("name", `${from === undefined ? "+" : to === undefined ? "−" : ""}${path} `),
      from === undefined ? "" : html("del", {}, value("", from)), from !== undefined && to !== undefined ? " → " : "",
      to === undefined ? "" : html("ins", {}, value("", to))));
    if (omittedCount) lines.push(html("li", { class: "quiet" }, `… ${omittedCount} more`));
    const words = changes.length + omittedCount === 1 ? "1 change" : `${changes.length + omittedCount || "No"} changes`;
    box.replaceChildren(html("h3", {}, `${words} since #${previous + 1}`), html("ul", {}, ...lines));
    box.hidden = false;
  }

  #paint() {
    const { entry } = this;
    if (!entry) return;
    const target = byID("data");
    const form = document.querySelector("[name=form]:checked").value;
    const isHex = form === "hex" && entry.isMessage;
    const lineBytes = narrow.matches ? 8 : 16;
    const isJSON = form === "decoded" && entry.isMessage && isJSONEntry(entry, WHOLE.characters);
    const pieces = isHex && entry.opcode === "text" ? dumpPieces(new TextEncoder().encode(entry.data), lineBytes)
      : entryPieces(entry, { isJSON, isIndented: true, lineBytes });
    const limit = limitOf(isHex ? { opcode: "binary" } : entry, WHOLE);
    const shown = excerpt(pieces, limit);
    target.replaceChildren();
    target.classList.toggle("dump", isHex || entry.opcode === "binary");
    appendPieces(target, shown.pieces, this.#pattern, limit.colors);
    if (entry.isMessage && !entry.bytes) target.append(cell("quiet", "(empty)"));
    if (shown.isCut) target.append(cell("rest", `… ${exactSize(entry.bytes)} in total; Save writes all of it`));
    const type = isHex ? undefined : imageTypeOf(entry);
    if (type) showImage(target, entry, type);
    byID("content").scrollTop = 0;
    target.querySelector("mark")?.scrollIntoView({ block: "nearest" });
  }

  /** What the clipboard gets: the message as it is, or the words of an event. */
  get plainText() {
    if (!this.entry.isMessage) return eventWords(this.entry);
    return this.entry.opcode === "text" ? this.entry.data
      : Array.from(this.entry.data, byte => byte.toString(16).padStart(2, "0")).join(" ");
  }
}
