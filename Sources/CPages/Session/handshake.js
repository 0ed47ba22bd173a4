// The handshake of a connection, as far as it was recorded.

import { visible } from "../Shared/text.js";
import { time } from "../Shared/units.js";

/** The phases, the parameters of TLS, the request, and the response, as pieces `[kind, text]` without line breaks. */
function handshakeLines({ url, status, request, response, timings, tls, address }) {
  const lines = [[["", url]]];
  if (timings) {
    const words = Object.entries(timings).map(([name, us]) => `${name.slice(0, -"_us".length)} ${time(us)}`);
    lines.push([["type", "Times: "], ["", words.join(", ").replace("tls", "TLS")]]);
  }
  if (address) lines.push([["type", "Address: "], ["", address]]);
  if (tls) lines.push([["type", "TLS: "], ["", tls]]);
  for (const [title, fields] of [["Request", request], [`Response ${status}`, response]]) {
    lines.push([], [["type", title]]);
    if (!fields) lines.push([["quiet", "The header fields were not recorded."]]);
    for (const [name, values] of Object.entries(fields ?? {})) {
      for (const value of values) lines.push([["name", name], ["", `: ${value}`]]);
    }
  }
  return lines;
}

/** The handshake as pieces `[kind, text]`. */
export function* handshakePieces(facts) {
  for (const [index, line] of handshakeLines(facts).entries()) {
    if (index) yield ["", "\n"];
    // A value is one line.
    for (const [kind, text] of line) yield [kind, visible(text).replaceAll("\n", "\\u{A}")];
  }
}

/** The handshake as text. */
export function handshakeText(facts) {
  return Array.from(handshakePieces(facts), piece => piece[1]).join("");
}
