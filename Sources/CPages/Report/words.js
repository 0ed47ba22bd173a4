// The results, and their fields and values as text.

import { count } from "../Shared/units.js";

/** The results, and figures derived from them. */
export const { things: THINGS, facts, faults, curve, bars, results, words: WORDS_OF_ERRORS } = JSON.parse(document.getElementById("data").textContent);
export const { mode, duration_s: duration } = results;
/** Empty if all latencies have been left out. */
export const latency = results.latency_us ?? {};

const WORDS = {
  ...WORDS_OF_ERRORS, other: "others", wire_sent: "sent, with frames", wire_received: "received, with frames",
  stddev: "std. deviation", rate_per_second: "rate", target_connections: "connections", target_rate: "target rate",
};

/** The label of a field: `p99.9` for `p999`. */
export const label = field => WORDS[field] ?? field.replace(/^shake_|_us$/g, "").replace(/^(p\d\d)(\d+)$/, "$1.$2");

/** The cause of errors: `HTTP 429 Too Many Requests`. Errors without a cause are called by their kind. */
export function causeWords({ kind, code, name }) {
  const start = { http: `HTTP ${code} `, close: `close ${code} `, tls: code ? `TLS alert ${code} ` : "", system: "", proxy: "proxy: ",
    upgrade: "", violation: "", silence: "" }[kind];
  return start === undefined ? label(kind) : start + name;
}

export const rounded = number => count(number < 100 ? Number(number.toFixed(1)) : Math.round(number));
export const short = number => String(Number(number.toPrecision(4)));
export const fraction = number => String(Number(number.toFixed(6)));
export const shortCount = number => number.toLocaleString("en", { notation: "compact", maximumFractionDigits: 2 })
  .replace("K", "k");
