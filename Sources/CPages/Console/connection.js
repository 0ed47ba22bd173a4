// A connection to a server, with automatic reconnects.

const FIRST_CEILING_MS = 1000;
const LAST_CEILING_MS = 30_000;
const SHORTEST_WAIT_MS = 200;
/** A connection that lasts this long resets the backoff. */
const STABLE_MS = 5000;
// The codes after which `wsx connect --reconnect` reconnects: a loss, or a server that fails or goes away.
const LOST_CODES = new Set([1001, 1006, 1011, 1012, 1013, 1014]);

/** Completes a URL like `wsx connect`: accepts `:8080/path`, `host:port`, and `http` for `ws`. */
export function completeURL(text) {
  let url = text.trim();
  if (url.startsWith(":")) url = "localhost" + url;
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(url)) url = "ws://" + url;
  return url.replace(/^http(?=s?:)/i, "ws");
}

/** Connects. Calls `didLog(entry)` for each event, and `didChange()` after each change of `state`. */
export class Connection {
  /** `closed`, `connecting`, `open`, `closing`, or `waiting` for the next attempt. */
  state = "closed";
  /** The time of the next attempt, as in `Date.now()`. */
  retryTime = 0;
  /** Whether to reconnect after a loss. */
  retries = true;
  subprotocol = "";
  extensions = "";

  #socket = null;
  #target = null;
  #timer = 0;
  #attempts = 0;
  #comesAgain = false;

  constructor({ didLog, didChange }) {
    this.didLog = didLog;
    this.didChange = didChange;
  }

  /** Connects to `{ url, subprotocols }`, after closing the current connection. */
  connect(target) {
    this.#target = target;
    this.#attempts = 0;
    clearTimeout(this.#timer);
    if (this.#socket === null) return this.#open();
    this.#comesAgain = true;
    this.#close();
  }

  /** Closes the connection, or stops reconnecting. */
  disconnect() {
    this.#comesAgain = false;
    clearTimeout(this.#timer);
    if (this.#socket === null) this.#become("closed");
    else this.#close();
  }

  /** Sends a message, a string or bytes. Returns whether a connection was open. */
  send(data) {
    if (this.#socket?.readyState !== WebSocket.OPEN) return false;
    this.#socket.send(data);
    this.didLog({ type: "message", direction: "out", data });
    return true;
  }

  #become(state) {
    this.state = state;
    this.didChange();
  }

  #close() {
    const wasOpen = this.state === "open" || this.state === "closing";
    this.#become("closing");
    if (wasOpen) this.#socket.close(1000);
    else this.#socket.close();
  }

  #open() {
    let socket;
    try {
      socket = new WebSocket(this.#target.url, this.#target.subprotocols);
    } catch (error) {
      this.didLog({ type: "error", kind: "usage", message: error.message });
      return this.#become("closed");
    }
    const start = performance.now();
    let openTime = null;
    this.#socket = socket;
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
      openTime = performance.now();
      this.subprotocol = socket.protocol;
      this.extensions = socket.extensions;
      const milliseconds = Math.round(openTime - start);
      const { url, protocol, extensions } = socket;
      this.didLog({ type: "open", url, subprotocol: protocol, extensions, milliseconds });
      // The user may have disconnected meanwhile.
      if (this.state === "connecting") this.#become("open");
    };
    socket.onmessage = ({ data }) => {
      this.didLog({ type: "message", direction: "in", data: typeof data === "string" ? data : new Uint8Array(data) });
    };
    socket.onclose = event => this.#closed(event, openTime);
    this.#become("connecting");
  }

  #closed({ code, reason, wasClean }, openTime) {
    const isOurs = this.state === "closing";
    this.#socket = null;
    if (openTime !== null) {
      this.didLog({ type: "close", direction: isOurs ? "out" : "in", code, reason, clean: wasClean });
      if (performance.now() - openTime > STABLE_MS) this.#attempts = 0;
    } else if (!isOurs) {
      this.didLog({ type: "error", kind: "connect", message: connectProblem(this.#target) });
    }
    if (this.#comesAgain) {
      this.#comesAgain = false;
      this.#open();
    } else if (!isOurs && this.retries && LOST_CODES.has(code)) {
      this.#wait();
    } else {
      this.#become("closed");
    }
  }

  #wait() {
    // A random wait below a doubling ceiling keeps clients from reconnecting at the same time after a restart.
    const ceiling = Math.min(FIRST_CEILING_MS * 2 ** this.#attempts, LAST_CEILING_MS);
    const wait = Math.max(SHORTEST_WAIT_MS, Math.random() * ceiling);
    this.#attempts += 1;
    this.retryTime = Date.now() + wait;
    this.#timer = setTimeout(() => this.#open(), wait);
    this.#become("waiting");
  }

  /** Sets whether to reconnect after a loss. */
  setRetries(retries) {
    this.retries = retries;
    if (!retries && this.state === "waiting") this.disconnect();
  }
}

// Browsers do not tell pages why a connection failed.
function connectProblem({ url, subprotocols }) {
  const reasons = ["is the server running"];
  // RFC 6455 allows a server to select none, but browsers then fail the connection.
  if (subprotocols.length > 0) reasons.push(`does it select one of the subprotocols ${subprotocols.join(", ")}`);
  if (location.protocol === "https:" && url.startsWith("ws:")) {
    reasons.push("does it support wss, which this page requires");
  }
  if (url.startsWith("wss:")) reasons.push("does the browser trust its certificate");
  reasons.push(`does it allow the origin ${location.origin}`);
  return `Could not connect to ${url}; ${reasons.join(", ")}?`;
}
