// What the user of a live page sends: messages, edited messages, and close frames.

import { Composer } from "../Shared/composer.js";
import { byID } from "../Shared/elements.js";
import { toBase64 } from "../Shared/text.js";
import { count } from "../Shared/units.js";
import { heldForm, heldSide, heldText } from "./held.js";

/** The panel with the composer, for messages to the connections shown and for held ones. */
export class Sending {
  #events;
  #act;
  #command = "";
  #composer;
  /** The held message that is edited, or `null`, and what was typed before. */
  #edited = null;
  #draft = null;

  /** Calls `act(action)`, which throws an error that says why nothing was sent. */
  constructor(events, act) {
    this.#events = events;
    this.#act = act;
    this.#composer = new Composer({
      form: byID("composer"), message: byID("draft"), file: byID("file"), verdict: byID("verdict"),
      format: byID("format"),
    }, data => this.#send(typeof data === "string" ? { text: data } : { base64: toBase64(data) }));
    byID("uneditable").addEventListener("click", () => this.#finish());
    byID("ping").addEventListener("click", () => this.#sendFrame({ do: "ping" }));
    byID("closing").addEventListener("submit", event => {
      event.preventDefault();
      this.#sendFrame({ do: "close", code: Number(byID("code").value), reason: byID("reason").value });
    });
  }

  /** Begins with what wsx says about itself. */
  begin({ command, sides }) {
    this.#command = command;
    for (const radio of byID("composer").elements.side) {
      radio.disabled = !sides.includes(radio.value);
      radio.parentElement.hidden = sides.length < 2;
      if (radio.value === sides.at(-1)) radio.checked = true;
    }
    this.#finish();
  }

  focus() {
    this.#composer.focus();
  }

  /** Shows who gets the message. */
  update() {
    const targets = this.#targets;
    const { shown } = this.#events;
    const whom = this.#command === "connect" ? "Send"
      : shown ? `${shown.isOpen ? "Send to" : "Closed:"} client ${shown.facts.client}`
      : targets.length === 1 ? "Send to the client" : `Send to all ${count(targets.length)} clients`;
    byID("whom").textContent = this.#edited ? `Edit held message ${this.#edited.id}: ${heldSide(this.#edited)}`
      : !targets.length && !shown ? "No connection is open" : this.#command === "relay" ? whom.replace("Send to", "For") : whom;
    byID("send").textContent = this.#edited ? "Release edited" : "Send";
    byID("uneditable").hidden = !this.#edited;
    byID("closing").hidden = byID("sides").hidden = this.#edited !== null;
  }

  /** Loads a held message. */
  edit(held) {
    this.#draft ??= [this.#composer.form, this.#composer.text];
    this.#edited = held;
    this.update();
    this.#composer.edit(heldForm(held), heldText(held));
  }

  /** Ends the editing of a message that is no longer held. */
  settle(id) {
    if (this.#edited?.id === id) this.#finish();
  }

  #finish() {
    if (this.#draft) this.#composer.load(...this.#draft);
    this.#edited = this.#draft = null;
    this.update();
  }

  get #targets() {
    const { shown, connections } = this.#events;
    return (shown ? [shown] : connections).filter(connection => connection.isOpen);
  }

  #send(data) {
    if (!this.#edited) return this.#sendToTargets({ do: "send", ...data });
    // Fields of pages know only LF.
    const before = heldText(this.#edited);
    if (data.text && before.includes("\r\n") && !/(^|[^\r])\n/.test(before)) data.text = data.text.replaceAll("\n", "\r\n");
    this.#act({ do: "release", ids: [this.#edited.id], ...data });
  }

  #sendFrame(action) {
    try {
      this.#sendToTargets(action);
    } catch ({ message }) {
      byID("verdict").textContent = message;
    }
  }

  #sendToTargets(action) {
    const to = byID("composer").elements.side.value;
    const targets = this.#targets;
    if (!targets.length) throw new Error("No connection is open");
    // The server of `listen` sends one message to all of its clients, which has one number.
    const clients = !this.#events.shown && this.#command === "listen" ? [undefined]
      : targets.map(target => target.facts.client);
    for (const client of clients) this.#act({ ...action, to, client });
  }
}
