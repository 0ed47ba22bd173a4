// Held messages: conditions, and what waits to be released, edited, or dropped.

import { byID, html } from "../Shared/elements.js";
import { cell } from "../Shared/pieces.js";
import { hexDigits, isJSONStructure, parseBase64, visible } from "../Shared/text.js";
import { count, exactSize } from "../Shared/units.js";

/** The number of held messages in the list. */
const LISTED_HELD = 100;
const EXCERPT_CHARACTERS = 300;

/** Shows the conditions and the held messages, in their order. */
export class HeldMessages {
  #messages = new Map();
  #rows = new Map();
  #conditions = [];
  #act;
  #edit;
  #isScheduled = false;

  /** Calls `act(action)` to change something, and `edit(held)` to edit a message. */
  constructor({ act, edit }) {
    this.#act = act;
    this.#edit = edit;
    byID("hold").addEventListener("submit", event => {
      event.preventDefault();
      const condition = byID("condition").value.trim();
      if (condition) this.#set([...this.#conditions, condition]);
    });
    byID("release-all").addEventListener("click", () => act({ do: "release", all: true }));
    byID("held").addEventListener("keydown", event => this.#pressed(event));
    // Without a page, everything is released.
    addEventListener("beforeunload", event => {
      if (this.#messages.size) event.preventDefault();
    });
  }

  /** Forgets the messages. */
  clear() {
    this.#messages.clear();
    this.#update();
  }

  /** Shows the conditions. */
  show(conditions) {
    // What was added need not be typed again.
    if (conditions.includes(byID("condition").value.trim())) byID("condition").value = "";
    this.#conditions = conditions;
    byID("conditions").replaceChildren(...conditions.map((condition, place) => {
      const words = visible(condition);
      const button = html("button", { type: "button", "aria-label": `Hold no longer: ${words}` }, `${words} ✕`);
      button.addEventListener("click", () => this.#set(this.#conditions.toSpliced(place, 1)));
      return html("li", {}, button);
    }));
    this.#update();
  }

  #set(conditions) {
    this.#act({ do: "hold", conditions });
  }

  add(held) {
    if (this.#messages.has(held.id)) return;
    this.#messages.set(held.id, held);
    this.#update();
  }

  settle(id) {
    this.#messages.delete(id);
    this.#update();
  }

  /** Goes to the first held message, or to the field for conditions. */
  focus() {
    (byID("held").querySelector("button") ?? byID("condition")).focus();
  }

  // Many may be held or released at once.
  #update() {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setTimeout(() => {
      this.#isScheduled = false;
      this.#draw();
    });
  }

  #draw() {
    const ids = Array.from(this.#messages.keys());
    const listed = new Set(ids.slice(0, LISTED_HELD));
    const hadFocus = byID("held").contains(document.activeElement);
    for (const [id, row] of this.#rows) {
      if (listed.has(id)) continue;
      row.remove();
      this.#rows.delete(id);
    }
    for (const id of listed) {
      if (this.#rows.has(id)) continue;
      this.#rows.set(id, this.#row(this.#messages.get(id)));
      byID("held").append(this.#rows.get(id));
    }
    byID("held-count").textContent = ids.length === 0 ? "Nothing is held."
      : `${count(ids.length)} held${ids.length > LISTED_HELD ? `, the first ${LISTED_HELD} shown` : ""}`;
    byID("release-all").hidden = !ids.length;
    // The focus moves on with the next message.
    if (hadFocus && !byID("held").contains(document.activeElement)) this.focus();
  }

  #row(held) {
    const { id, bytes, opcode } = held;
    const row = html("li", { class: isFromClient(held) ? "out" : "in" });
    const excerpt = opcode === "close" ? `close ${held.code ?? ""} ${held.reason ?? ""}` : heldText(held);
    row.append(
      cell("direction", isFromClient(held) ? "→ " : "← "), cell("quiet", heldSide(held)),
      ...(held.behind ? [cell("note", "waits for those before")] : []),
      cell("data", visible(excerpt.slice(0, EXCERPT_CHARACTERS)).replace(/\s+/g, " ")),
      cell("size", opcode === "close" ? "" : exactSize(bytes)));
    const button = (words, key, action) => {
      const element = html("button", { type: "button", "aria-label": `${words} held message ${id}`, "data-key": key,
        title: `${words} (${key.toUpperCase()})` }, words);
      element.addEventListener("click", action);
      row.append(element);
    };
    button("Release", "r", () => this.#act({ do: "release", ids: [id] }));
    if (opcode !== "close") button("Edit", "e", () => this.#edit(held));
    if (opcode !== "close") button("Drop", "d", () => this.#act({ do: "drop", ids: [id] }));
    return row;
  }

  #pressed(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const row = event.target.closest("li");
    const next = { ArrowUp: row.previousElementSibling, ArrowDown: row.nextElementSibling }[event.key];
    const button = next ? next.querySelector(`[data-key="${event.target.dataset.key}"]`)
      : row.querySelector(`[data-key="${CSS.escape(event.key.toLowerCase())}"]`);
    if (!button) return;
    event.preventDefault();
    event.stopPropagation();
    button.focus();
    if (!next) button.click();
  }
}

/** Whether a held message goes to a server. `connect` holds only what a server sent. */
export function isFromClient({ from }) {
  return from === "client";
}

/** `client 3 to server`. */
export function heldSide({ client, from }) {
  if (from === undefined && client === undefined) return "from server";
  return from === "server" ? `server to client ${client}` : `client ${client} to server`;
}

/** The text of a held message, or the digits of a binary one. */
export function heldText({ opcode, data, base64, decoded }) {
  if (opcode === "text" || decoded) return data;
  return hexDigits(base64 === undefined ? new TextEncoder().encode(data) : parseBase64(base64));
}

/** The form in which a held message is edited. */
export function heldForm({ opcode, data, decoded }) {
  return opcode === "binary" && !decoded ? "hex" : isJSONStructure(data) ? "json" : "text";
}
