// The message editor: formats, validation, and history.

import { jsonPieces, parseBase64, parseHex } from "./text.js";
import { byteCount, exactSize } from "./units.js";

const MAXIMUM_REMEMBERED = 100;
/** The maximum length of a message in the history, in characters. */
const LONGEST_REMEMBERED = 64 << 10;
const PLACEHOLDERS = {
  text: "Message", json: '{"name": "value"}', hex: "68 65 6c 6c 6f", base64: "aGVsbG8=", file: "",
};

/** Parses the typed text as a message. `send(data)` returns whether it was sent. */
export class Composer {
  #elements;
  #send;
  #sent = [];
  /** The index of the shown history entry; the index after the last is the draft. */
  #position = 0;
  #draft = null;
  #isSending = false;

  /** `elements` are `{ form, message, file, verdict, format }`. */
  constructor(elements, send) {
    this.#elements = elements;
    this.#send = send;
    elements.form.addEventListener("submit", event => {
      event.preventDefault();
      this.submit();
    });
    elements.message.addEventListener("input", () => this.#judge());
    elements.message.addEventListener("keydown", event => this.#pressed(event));
    elements.file.addEventListener("change", () => this.#judge());
    elements.format.addEventListener("click", () => this.#format());
    for (const radio of elements.form.elements.form) radio.addEventListener("change", () => this.#formChanged());
    this.#formChanged();
  }

  /** What is typed. */
  get text() {
    return this.#elements.message.value;
  }

  /** The format of the text: `text`, `json`, `hex`, `base64`, or `file` for a file instead. */
  get form() {
    return this.#elements.form.elements.form.value;
  }

  /** Loads a message for editing. */
  edit(form, text) {
    this.load(form, text);
    this.focus();
  }

  /** Loads a message without moving the focus. */
  load(form, text) {
    this.#elements.form.elements.form.value = form;
    this.#elements.message.value = text;
    this.#formChanged();
  }

  focus() {
    (this.form === "file" ? this.#elements.file : this.#elements.message).focus();
  }

  /** Sends the message, or shows why it was not sent. */
  async submit() {
    if (this.#isSending) return;
    this.#isSending = true;
    try {
      const form = this.form;
      const text = this.#elements.message.value;
      const data = form === "file" ? await this.#fileBytes() : this.#message();
      this.#send(data);
      if (form === "file") return this.#say("Sent");
      this.#remember(form, text);
      this.#elements.message.value = "";
      this.#judge();
    } catch (error) {
      this.#complain(error.message);
    } finally {
      this.#isSending = false;
    }
  }

  /** The typed message as a string or bytes. Throws an error that states the problem. */
  #message() {
    // Unpaired surrogates are sent as U+FFFD, and the log must show that.
    const text = this.#elements.message.value.toWellFormed();
    switch (this.form) {
      case "hex": return parseHex(text);
      case "base64": return parseBase64(text);
      case "json":
        try {
          JSON.parse(text);
        } catch (error) {
          throw new Error(`Not JSON: ${error.message}`);
        }
    }
    return text;
  }

  async #fileBytes() {
    const file = this.#elements.file.files[0];
    if (!file) throw new Error("No file selected");
    try {
      return new Uint8Array(await file.arrayBuffer());
    } catch {
      throw new Error(`Cannot read ${file.name}`);
    }
  }

  // MARK: Validation

  #formChanged() {
    const { message, file, format } = this.#elements;
    const isFile = this.form === "file";
    message.hidden = isFile;
    file.hidden = !isFile;
    format.hidden = this.form !== "json";
    message.placeholder = PLACEHOLDERS[this.form];
    this.#judge();
  }

  /** Shows the kind and size of the message, or its problem, while typing. */
  #judge() {
    const file = this.#elements.file.files[0];
    if (this.form === "file") return this.#say(file ? `binary, ${exactSize(file.size)}` : "");
    if (this.#elements.message.value === "") return this.#say("");
    try {
      const data = this.#message();
      this.#say(typeof data === "string" ? `text, ${exactSize(byteCount(data))}` : `binary, ${exactSize(data.length)}`);
    } catch (error) {
      this.#say(error.message, true);
    }
  }

  #say(words, isWrong = false) {
    this.#elements.verdict.textContent = words;
    this.#elements.verdict.classList.toggle("wrong", isWrong);
    this.#elements.verdict.removeAttribute("role");
    this.#elements.message.setAttribute("aria-invalid", String(isWrong));
  }

  /** Shows why the message was not sent, and announces it to screen readers. */
  #complain(words) {
    this.#say("", true);
    this.#elements.verdict.setAttribute("role", "alert");
    this.#elements.verdict.textContent = words;
    this.focus();
  }

  #format() {
    const { message } = this.#elements;
    try {
      const text = this.#message();
      message.value = Array.from(jsonPieces(text), ([, piece]) => piece).join("");
      this.#judge();
      message.focus();
    } catch (error) {
      this.#complain(error.message);
    }
  }

  // MARK: Keys and history

  #pressed(event) {
    // Enter may also end the composition of an input method.
    if (event.isComposing) return;
    const { value, selectionStart, selectionEnd } = this.#elements.message;
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      this.submit();
    } else if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || selectionStart !== selectionEnd) {
      return;
    } else if (event.key === "ArrowUp" && !value.slice(0, selectionStart).includes("\n")) {
      if (this.#recall(this.#position - 1)) event.preventDefault();
    } else if (event.key === "ArrowDown" && !value.slice(selectionEnd).includes("\n")) {
      if (this.#recall(this.#position + 1)) event.preventDefault();
    }
  }

  #remember(form, text) {
    const last = this.#sent.at(-1);
    const isRepeated = last?.form === form && last.text === text;
    if (text.length <= LONGEST_REMEMBERED && !isRepeated) this.#sent.push({ form, text });
    if (this.#sent.length > MAXIMUM_REMEMBERED) this.#sent.shift();
    this.#position = this.#sent.length;
    this.#draft = null;
  }

  #recall(position) {
    if (position < 0 || position > this.#sent.length) return false;
    if (this.#position === this.#sent.length) this.#draft = { form: this.form, text: this.#elements.message.value };
    const { form, text } = this.#sent[position] ?? this.#draft;
    this.#position = position;
    this.edit(form, text);
    return true;
  }
}
