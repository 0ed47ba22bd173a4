// The feed: events of a run as wsx writes them, and the connection that they come over.

import { byteCount } from "../Shared/units.js";
import { toBase64 } from "../Shared/text.js";
import { Connection } from "./events.js";

/** What wsx or its user may have done to a message, as members of its event. */
const MARKS = ["injected", "edited", "rewritten", "dropped", "answered", "hidden"];
const MAXIMUM_RETRY_SECONDS = 30;
const OPEN_URL = "Open the URL that wsx printed when it started.";

/** Makes events of the lines of one run. */
export class Feed {
  #events;
  #connections = new Map();
  #number = 1;
  #handlers = {
    open: event => this.#open(event), message: event => this.#addMessage(event), ping: event => this.#addControl(event),
    pong: event => this.#addControl(event), close: event => this.#close(event), error: event => this.#addError(event),
    http: event => this.#addRequest(event), omitted: event => this.#addOmission(event),
  };
  #lines = [];
  #owners = [];
  #timeText = "";
  #time = 0;

  constructor(events) {
    this.#events = events;
  }

  /** Adds the events of a text of lines. Returns the lines that are about the page, which `omitted` is, too. */
  add(text) {
    const others = [];
    for (const line of text.split("\n")) {
      if (!line) continue;
      const event = JSON.parse(line);
      if (event.time) this.#time = this.#microseconds(event.time);
      if (Object.hasOwn(this.#handlers, event.type)) this.#handlers[event.type](event);
      if (!Object.hasOwn(this.#handlers, event.type) || event.type === "omitted") others.push(event);
    }
    if (this.#lines.length) this.#events.add(`\n${this.#lines.splice(0).join(",\n")}\n`, this.#owners.splice(0));
    return others;
  }

  #microseconds(text) {
    // Many events have the same time.
    if (text === this.#timeText) return this.#time;
    this.#timeText = text;
    return Date.parse(`${text.slice(0, 23)}Z`) * 1000 + Number(text.slice(23, 26));
  }

  /** Adds an event to a connection. Its direction is that of the client. */
  #add(connection, direction, word, number, size, value) {
    const isFlipped = connection.facts.client !== undefined;
    const side = isFlipped && direction ? { in: "out", out: "in" }[direction] : direction ?? "in";
    const us = this.#time - connection.start;
    this.#lines.push(`[${us},"${side} ${word}",${number},${size},${JSON.stringify(value)}]`);
    this.#owners.push(connection);
  }

  /** The connections of an event. One without a client's number went to all clients. */
  #concerned({ client, time }) {
    if (client === undefined && this.#connections.size && !this.#connections.has(undefined)) {
      return Array.from(this.#connections.values());
    }
    if (!this.#connections.has(client)) this.#open({ client, time, url: "" });
    return [this.#connections.get(client)];
  }

  #open({ client, url, status = 101, subprotocol, extensions, address, tls, timings, ...heads }) {
    const connection = new Connection({
      url, start_us: this.#time, status, client, subprotocol, extensions, timings,
      address: address?.replace(/:\d+$|[[\]]/g, ""), tls: tls && `${tls.version}, ${tls.cipher}`,
      request: heads.request_headers, response: heads.headers,
    });
    connection.isOpen = true;
    // The end of an earlier connection may be missing.
    if (this.#connections.has(client)) this.#connections.get(client).isOpen = false;
    this.#connections.set(client, connection);
    this.#events.open(connection);
    if (url) this.#add(connection, undefined, "open", 0, 0, url);
  }

  #addMessage(event) {
    const { direction, opcode, data, decoded } = event;
    const isText = data !== undefined && (opcode === "text" || decoded !== undefined);
    const isMarked = mark => event[mark] === true || event[mark]?.includes?.(event.record);
    // What is dropped is hidden at the prompt, too.
    const marks = MARKS.filter(mark => isMarked(mark) && !(mark === "hidden" && isMarked("dropped")));
    const word = [isText ? "text" : "binary", ...marks].join(" ");
    const value = isText ? data : base64Data(event);
    const size = decoded === undefined ? event.bytes : isText ? byteCount(data) : Math.floor(value.length * 3 / 4);
    for (const connection of this.#concerned(event)) this.#add(connection, direction, word, this.#number, size, value);
    this.#number += 1;
  }

  #addControl(event) {
    for (const connection of this.#concerned(event)) {
      this.#add(connection, event.direction, event.type, 0, event.bytes, base64Data(event));
    }
  }

  #close(event) {
    for (const connection of this.#concerned(event)) {
      this.#add(connection, event.direction, "close", 0, event.code ?? 1005, event.reason ?? "");
      // A close frame precedes the end of the connection.
      if (event.clean === undefined) continue;
      connection.isOpen = false;
      this.#connections.delete(connection.facts.client);
    }
  }

  #addError({ client, message }) {
    this.#add(this.#connections.get(client) ?? this.#events.none, undefined, "error", 0, 0, message);
  }

  #addRequest({ method, url, status, duration_us: duration, request_headers: request, headers: response }) {
    const facts = { url: `${method} ${url}`, start_us: this.#time - duration, status, request, response };
    const connection = new Connection({ ...facts, timings: { upgrade_us: duration, total_us: duration } });
    this.#events.open(connection);
    this.#add(connection, undefined, "open", 0, 0, facts.url);
  }

  #addOmission({ messages, events }) {
    const words = `${messages} messages and ${events} other events`;
    this.#add(this.#events.none, undefined, "omitted", 0, messages, words);
    this.#events.omittedCount += messages;
    this.#number += messages;
  }
}

function base64Data({ data, base64 }) {
  return base64 ?? toBase64(new TextEncoder().encode(data));
}

/** The connection to wsx, which is made again when it is lost. */
export class Link {
  #token;
  #socket;
  #didReceive;
  #didChange;
  #retrySeconds = 0;
  #hasEnded = false;

  /** Calls `didReceive(text)`, and `didChange(words)` with what is wrong, or an empty text. */
  constructor(token, { didReceive, didChange }) {
    this.#token = token;
    this.#didReceive = didReceive;
    this.#didChange = didChange;
    if (/^[\da-f]{32}$/i.test(token)) this.#connect();
    else didChange(`The address of this page has no token. ${OPEN_URL}`);
  }

  #connect() {
    const url = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/`;
    let isOpen = false;
    this.#socket = new WebSocket(url, ["wsx-page", this.#token]);
    this.#socket.addEventListener("open", () => {
      isOpen = true;
      this.#retrySeconds = 1;
      this.#didChange("");
    });
    this.#socket.addEventListener("message", ({ data }) => this.#didReceive(data));
    this.#socket.addEventListener("close", () => this.#closed(isOpen));
  }

  #closed(wasOpen) {
    if (this.#hasEnded) return;
    if (!wasOpen && !this.#retrySeconds) {
      return this.#didChange(`wsx refuses this page: the token in its address is wrong, or too many are open. ${OPEN_URL}`);
    }
    const seconds = this.#retrySeconds;
    this.#retrySeconds = Math.min(2 * seconds, MAXIMUM_RETRY_SECONDS);
    this.#didChange(`The connection to wsx is lost. The page keeps its data, and tries again in ${seconds} s.`);
    setTimeout(() => this.#connect(), 1000 * seconds);
  }

  /** Ends it. It is not made again. */
  end() {
    this.#hasEnded = true;
  }

  /** Sends an action. Throws an error that says why it could not be sent. */
  send(action) {
    if (this.#hasEnded) throw new Error("wsx has ended");
    if (this.#socket?.readyState !== WebSocket.OPEN) throw new Error("There is no connection to wsx");
    this.#socket.send(JSON.stringify(action));
  }
}
