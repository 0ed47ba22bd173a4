// The view of a message: its contents, what has changed, and related messages.

import { byID, html } from "../Shared/elements.js";
import { eventWords } from "../Shared/entries.js";
import { appendPieces, cell, entryPieces, excerpt, imageTypeOf, isJSONEntry } from "../Shared/pieces.js";
import { limitOf, showImage, WHOLE } from "../Shared/pieces.js";
import { attempt, decodedLiteral, dumpPieces, hexDigits } from "../Shared/text.js";
import { isJSONStructure, jsonPieces, visible } from "../Shared/text.js";
import { byteCount, exactSize, time } from "../Shared/units.js";
import { changesBetween } from "./changes.js";
import { embeddedData } from "./embedded.js";
import { handshakePieces } from "./handshake.js";

/** Longer messages are neither compared, as by `/diff`, nor searched for embedded data. */
const COMPARED_BYTES = 256 << 10;
/** Longer messages are not indented. */
const INDENTED_BYTES = 4 << 20;
/** The limits for a message at first, and for data in one of its values. */
const BEGINNING = { characters: 64 << 10, lines: 2000, colors: 5000 };
const EMBEDDED = { characters: 4000, lines: 10, colors: 200 };
const DUMPED_BYTES = 16;
// On screens too narrow for 16 bytes, dumps have shorter lines.
const narrow = matchMedia("(max-width: 30rem)");

/** Shows one event of a connection at a time. */
export class MessageView {
  /** The entry shown, or `null`. */
  entry = null;

  #events;
  #relations;
  #pattern = null;
  #limit = BEGINNING;
  #select;
  /** The indices of the related messages that are shown. */
  #related = "";

  /** Calls `select(index)` when the user follows a link to another message. */
  constructor(select) {
    this.#select = select;
    for (const radio of document.querySelectorAll("[name=view]")) radio.addEventListener("change", () => this.#paint());
    narrow.addEventListener("change", () => this.#paint());
  }

  /** Shows events, none at first. */
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
    this.#limit = BEGINNING;
    this.#related = "";
    this.#showHead(index);
    this.update();
    this.#showEmbedded();
    this.#paint();
  }

  /** Forgets the first events. */
  drop(count) {
    if (!this.entry) return;
    this.entry.index -= count;
    this.#related = "";
    if (this.entry.index < 0) this.select(-1);
    else this.update();
  }

  /** Marks the matches of another pattern. */
  mark(pattern) {
    this.#pattern = pattern;
    if (this.entry) this.#paint();
  }

  /** Shows the relations again, of which more may be known now. */
  update() {
    if (!this.entry) return;
    const { index } = this.entry;
    const { previous, next, request, reply } = this.#relations;
    const related = [previous, next, request, reply].map(list => list[index] ?? -1);
    if (related.join() === this.#related) return;
    this.#related = related.join();
    byID("relations").replaceChildren(
      this.#link("Reply to", request[index], "R", this.#relations.latency(index)),
      this.#link("Reply", reply[index], "R", this.#relations.latency(reply[index])),
      this.#link("Previous of its kind", previous[index], "P"),
      this.#link(previous[index] < 0 ? "Next of its kind" : "Next", next[index], "N"));
    this.#showChanges(previous[index]);
  }

  #link(words, index, key, latency) {
    if (!(index >= 0)) return "";
    const number = this.#events.numbers[index];
    const text = `${words} #${number}${latency === undefined ? "" : ` after ${time(latency)}`}`;
    const button = html("button", { type: "button", title: `Go to message ${number} (${key})` }, text);
    button.addEventListener("click", () => this.#select(index));
    return button;
  }

  #showHead(index) {
    const { entry } = this;
    const sent = entry.direction === "out" ? "sent" : "received";
    byID("title").replaceChildren(
      cell("quiet", entry.number ? `#${entry.number} ` : ""),
      cell(entry.direction, entry.direction === "out" ? "→ " : "← "),
      entry.isMessage ? `${sent}, ${entry.opcode}, ${exactSize(entry.bytes)}`
        : entry.type === "open" ? "handshake" : entry.type === "omitted" ? "omitted" : `${entry.type}, ${sent}`,
      ...entry.marks.map(mark => cell("note", mark)));
    const moment = new Date(entry.time);
    const { times } = this.#events;
    const microseconds = String((times[index] % 1e6 + 1e6) % 1e6).padStart(6, "0");
    const before = this.#events.before(index);
    const { number, type } = before < 0 ? {} : this.#events.entry(before);
    const pause = time(Math.max(0, times[index] - times[before]));
    const after = before < 0 ? "" : `, ${pause} after ${number ? `#${number}` : type}`;
    byID("times").textContent = `${moment.toLocaleDateString("sv")} ${moment.toLocaleTimeString("sv")}.${microseconds}`
      + ` · +${time(Math.max(0, times[index] - (entry.connection.start || this.#events.start)))}${after}`;
    for (const radio of document.querySelectorAll("[name=view]")) {
      radio.disabled = !entry.isMessage || (entry.opcode === "binary" && radio.value === "raw");
    }
    byID("save").hidden = byID("copy-message").hidden = !entry.isMessage;
  }

  #showChanges(previous) {
    const box = byID("changes");
    box.hidden = true;
    if (!(previous >= 0) || this.entry.bytes > COMPARED_BYTES) return;
    // Some are nested too deeply for a browser.
    const found = attempt(() => changesBetween(this.#events.entry(previous).data, this.entry.data));
    if (!found) return;
    const { changes, omittedCount } = found;
    const value = (kind, text) => cell(kind, visible(text));
    const lines = changes.map(({ path, from, to }) => html("li", {},
      value("name", `${from === undefined ? "+" : to === undefined ? "−" : ""}${path} `),
      from === undefined ? "" : html("del", {}, value("", from)), from !== undefined && to !== undefined ? " → " : "",
      to === undefined ? "" : html("ins", {}, value("", to))));
    if (omittedCount) lines.push(html("li", { class: "quiet" }, `… ${omittedCount} more`));
    const words = changes.length + omittedCount === 1 ? "1 change" : `${changes.length + omittedCount || "No"} changes`;
    box.replaceChildren(html("h3", {}, `${words} since #${this.#events.numbers[previous]}`), html("ul", {}, ...lines));
    box.hidden = false;
  }

  /** Shows the data inside values, as `/inspect` does. */
  #showEmbedded() {
    const { entry } = this;
    const box = byID("embedded");
    box.hidden = true;
    if (entry.opcode !== "text" || entry.bytes > COMPARED_BYTES) return;
    const { found, isCut } = attempt(() => embeddedData(entry.data)) ?? { found: [] };
    if (!found.length) return;
    const lines = found.map(({ path, title, contents, note }) => html("li", {},
      cell("name", path && `${visible(path)} `), title, ...contents.map(embeddedElement), cell("rest", note ?? "")));
    if (isCut) lines.push(html("li", { class: "quiet" }, "… the rest is not decoded"));
    const words = found.length === 1 ? "1 decoded value" : `${found.length} decoded values`;
    box.replaceChildren(html("h3", {}, words), html("ul", {}, ...lines));
    box.hidden = false;
  }

  #paint() {
    const { entry } = this;
    if (!entry) return;
    const target = byID("data");
    const form = document.querySelector("[name=view]:checked").value;
    const isHex = form === "hex" && entry.isMessage;
    const lineBytes = narrow.matches ? 8 : 16;
    const isJSON = form === "decoded" && entry.isMessage && isJSONEntry(entry, INDENTED_BYTES);
    const data = isJSON || !entry.isMessage ? entry.data : entry.beginning(this.#limit.characters);
    const part = { type: entry.type, opcode: entry.opcode, data };
    const pieces = entry.type === "open" ? handshakePieces(entry.connection.facts)
      : isHex && entry.opcode === "text" ? dumpPieces(new TextEncoder().encode(data), lineBytes)
      : entryPieces(entry.isMessage ? part : entry, { isJSON, isIndented: true, lineBytes });
    const limit = limitOf(isHex ? { opcode: "binary" } : entry, this.#limit);
    const shown = excerpt(pieces, limit);
    const dataBytes = typeof data === "string" ? byteCount(data) : data.length;
    target.replaceChildren();
    target.classList.toggle("dump", isHex || entry.opcode === "binary");
    appendPieces(target, shown.pieces, this.#pattern, limit.colors);
    if (entry.isMessage && !entry.bytes) target.append(cell("quiet", "(empty)"));
    if (entry.isMessage && (shown.isCut || dataBytes < entry.bytes)) target.append(...this.#rest());
    const type = isHex ? undefined : imageTypeOf(entry);
    if (type) showImage(target, entry, type);
    if (this.#limit !== BEGINNING) return;
    byID("content").scrollTop = 0;
    target.querySelector("mark")?.scrollIntoView({ block: "nearest" });
  }

  /** How much is left out, and a button for more. */
  #rest() {
    const { bytes } = this.entry;
    const words = cell("rest", `… ${exactSize(bytes)} in total; Save and Copy have all of it`);
    const limit = { ...this.#limit, characters: 4 * this.#limit.characters, lines: 4 * this.#limit.lines };
    if (limit.characters > WHOLE.characters) return [words];
    const button = html("button", { type: "button", class: "more" }, "Show more");
    button.addEventListener("click", () => {
      this.#limit = limit;
      this.#paint();
      byID("content").focus({ preventScroll: true });
    });
    return [words, button];
  }

  /** What the clipboard gets: the message as it is, or the words of an event. */
  get plainText() {
    if (!this.entry.isMessage) return this.entry.details || eventWords(this.entry);
    return this.entry.opcode === "text" ? this.entry.data : hexDigits(this.entry.data);
  }
}

/** Data inside a value: text, or bytes. */
function embeddedElement(data) {
  const element = cell("data", "", "div");
  const isText = typeof data === "string";
  const rest = data.length > DUMPED_BYTES ? " …" : "";
  const pieces = !isText ? [["", hexDigits(data.subarray(0, DUMPED_BYTES)) + rest]]
    : isJSONStructure(data) ? jsonPieces(data, { isIndented: false, convert: decodedLiteral }) : [["", data]];
  const { pieces: shown, isCut } = excerpt(pieces, EMBEDDED);
  appendPieces(element, shown, null, EMBEDDED.colors);
  if (isCut) element.append(" …");
  return element;
}
