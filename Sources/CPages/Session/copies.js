// Copies: command lines, scenarios, and the page as a file.

import { copyText, saveFile } from "../Shared/controls.js";
import { byID } from "../Shared/elements.js";
import { jsonEscapes, toBase64, visible } from "../Shared/text.js";

/** The size of the events in a script element, in characters. Browsers limit the length of a text. */
const CHUNK_CHARACTERS = 4 << 20;
/** Fields of requests that clients add by themselves, and what `--header` does not take for a field. */
const OWN_FIELDS = /^(?:host|connection|upgrade|content-length|sec-websocket-.*|:.*|exec|env)$/;
const MASK = "•••";

/** A word of a command line for POSIX shells. */
export function shellWord(word) {
  return /^[\w./:=@,+%-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** The known fields of a request, as lines. Those with secrets are left out. */
function knownFields({ request = {} }) {
  return Object.entries(request).filter(([name]) => !OWN_FIELDS.test(name)).flatMap(([name, values]) => (
    values.filter(value => !value.includes(MASK)).map(value => `${name}: ${value}`)));
}

/** A command that connects like a connection, and sends a message. */
function wsxCommand(facts, entry) {
  const subprotocol = facts.subprotocol ? [`--subprotocol=${facts.subprotocol}`] : [];
  const words = ["connect", ...subprotocol, ...knownFields(facts).map(field => `--header=${field}`), facts.url];
  const line = ["wsx", ...words.map(shellWord)].join(" ");
  if (!entry?.isMessage) return line;
  const { data } = entry;
  const isText = entry.opcode === "text";
  // Invisible characters and long texts are not for command lines, and a dash begins an option.
  if (isText && visible(data) === data && data.length < 32768 && !data.startsWith("-")) {
    return `${line} ${shellWord(data)}`;
  }
  const base64 = toBase64(isText ? new TextEncoder().encode(data) : data);
  return `echo ${base64} | ${line} --input base64${isText ? " --text" : ""}`;
}

function curlCommand(facts) {
  const key = toBase64(crypto.getRandomValues(new Uint8Array(16)));
  const fields = ["Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13", `Sec-WebSocket-Key: ${key}`];
  if (facts.subprotocol) fields.push(`Sec-WebSocket-Protocol: ${facts.subprotocol}`);
  fields.push(...knownFields(facts));
  const words = [facts.url.replace(/^ws/, "http"), ...fields.flatMap(field => ["-H", field])];
  return ["curl", "-i", "-N", "-g", "--http1.1", ...words.map(shellWord)].join(" ");
}

/** The step of a scenario that an event is, or nothing. Its texts have no placeholders. */
function stepOf({ type, opcode, direction, data, code, reason }) {
  const literal = text => text.replaceAll("{{", "{{{{");
  if (type === "message" && opcode === "text") return { type, direction, data: literal(data) };
  if (type === "message") return { type, direction, opcode, base64: toBase64(data) };
  if (type !== "close" || code === 1006) return undefined;
  return { type, direction, ...(code === 1005 ? {} : { code }), ...(direction === "out" ? { reason } : {}) };
}

function scenario(events, connection, entry) {
  const { url, subprotocol } = connection.facts;
  const lines = [{ type: "open", url, subprotocol }];
  for (let index = 0; index < events.count; index += 1) {
    if (events.connection(index) !== connection || (entry && index !== entry.index)) continue;
    const event = stepOf(events.entry(index));
    // The second close frame of a connection answers the first one.
    if (event && lines.at(-1).type !== "close") lines.push(event);
  }
  return lines.map(line => `${JSON.stringify(line)}\n`).join("");
}

/** Makes the buttons of a menu copy something about the connection, or about the message that `entryOf()` returns. */
export function offerCopies(menu, events, connectionOf, entryOf) {
  menu.addEventListener("click", async ({ target }) => {
    if (!target.value) return;
    const connection = connectionOf();
    const entry = entryOf();
    const text = target.value === "scenario" ? scenario(events, connection, entry)
      : target.value === "curl" ? curlCommand(connection.facts) : wsxCommand(connection.facts, entry);
    await copyText(text);
    const masked = JSON.stringify(connection.facts).includes(MASK) ? ", without its secrets" : "";
    byID("announcer").textContent = `Copied the ${target.textContent}${masked}`;
    menu.hidePopover();
  });
}

/** The page as it was loaded, as a file: what makes it live has the policy of the file. */
export function pageText() {
  document.querySelector("script.connection")?.remove();
  return `<!doctype html>\n${document.documentElement.outerHTML}\n`
    .replace('<meta name="wsx-live"', '<meta http-equiv="Content-Security-Policy"');
}

/** Saves the events as the page that `wsx convert` makes of them. */
export function savePage(page, events) {
  const end = page.indexOf('<script type="module">');
  const element = (name, text) => `<script type="application/json" class="${name}">${
    text.replace(/[<>&\u2028\u2029]/g, jsonEscapes)}<\/script>\n`;
  const linesOf = new Map();
  for (let index = 0; index < events.count; index += 1) {
    const connection = events.connection(index);
    if (!linesOf.has(connection)) linesOf.set(connection, [{ lines: [], length: 0 }]);
    const chunks = linesOf.get(connection);
    if (chunks.at(-1).length > CHUNK_CHARACTERS) chunks.push({ lines: [], length: 0 });
    const line = events.line(index);
    chunks.at(-1).lines.push(line);
    chunks.at(-1).length += line.length;
  }
  const parts = [page.slice(0, end)];
  for (const connection of [events.none, ...events.connections]) {
    const own = connection === events.none ? { start_us: 0, omitted: events.omittedCount } : connection.facts;
    parts.push(element("connection", JSON.stringify(own)));
    for (const { lines } of linesOf.get(connection) ?? []) {
      parts.push(element("events", `[\n${lines.join(",\n")}\n]`));
    }
  }
  const time = new Date().toISOString().slice(0, 19).replaceAll(":", "-");
  saveFile([...parts, page.slice(end)], `wsx-session-${time}.html`, "text/html");
}
