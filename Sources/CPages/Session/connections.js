// The list of connections.

import { html } from "../Shared/elements.js";
import { visible } from "../Shared/text.js";
import { count } from "../Shared/units.js";

/** The number of connections in the list. Earlier ones are only in the list of all messages. */
const LISTED = 500;

/** Shows the connections as buttons, if there are several, with their states and counts. */
export class ConnectionList {
  #element;
  #didSelect;
  /** The buttons by their connections, which is `null` for all. */
  #buttons = new Map();
  #rest = html("p", { class: "quiet" });

  /** Calls `didSelect(connection)` when the user selects a connection, or `null` for all. */
  constructor(element, didSelect) {
    this.#element = element;
    this.#didSelect = didSelect;
    element.addEventListener("keydown", event => {
      const next = { ArrowUp: "previousElementSibling", ArrowDown: "nextElementSibling" }[event.key];
      const target = next && event.target[next];
      if (!target) return;
      event.preventDefault();
      target.focus();
    });
  }

  /** Shows the connections again, of which there may be others now. */
  update({ connections, shown }) {
    this.#element.hidden = connections.length < 2;
    if (this.#element.hidden) return;
    const listed = connections.slice(-LISTED);
    if (shown && !listed.includes(shown)) listed[0] = shown;
    const wanted = new Set([null, ...listed]);
    for (const [connection, button] of this.#buttons) {
      if (wanted.has(connection)) continue;
      button.remove();
      this.#buttons.delete(connection);
    }
    for (const connection of wanted) {
      if (!this.#buttons.has(connection)) this.#add(connection);
      const button = this.#buttons.get(connection);
      button.setAttribute("aria-current", String(connection === shown));
      this.#show(button, connection === null ? { name: "All", rest: count(connections.length) } : words(connection));
    }
    const rest = connections.length - listed.length;
    this.#rest.textContent = rest ? `${count(rest)} earlier ones` : "";
    this.#element.append(this.#rest);
  }

  #add(connection) {
    const button = html("button", { type: "button" });
    button.append(...["state", "name", "counts", "url", "rest"].map(name => html("span", { class: name })));
    button.firstChild.setAttribute("aria-hidden", "true");
    button.addEventListener("click", () => this.#didSelect(connection));
    this.#buttons.set(connection, button);
    this.#element.insertBefore(button, this.#rest.isConnected ? this.#rest : null);
  }

  #show(button, parts) {
    for (const element of button.children) {
      const text = parts[element.className] ?? "";
      if (element.textContent !== text) element.textContent = text;
    }
  }
}

/** What the list says of a connection. */
function words({ facts, name, counts, ending, isOpen }) {
  const side = (arrow, { messages }) => `${arrow}${count(messages)}`;
  const state = isOpen ? "open" : facts.status && facts.status !== 101 ? `status ${facts.status}` : ending;
  return {
    state: isOpen ? "●" : "○", name,
    counts: `${side("→", counts.out)} ${side("←", counts.in)}`, url: visible(facts.url), rest: state,
  };
}
