// Data inside the values of a message, as `/inspect` shows it: JSON in strings, tokens, Base64, and times.

import { step } from "./changes.js";
import { attempt, isJSONStructure, parseBase64, visible } from "../Shared/text.js";
import { count } from "../Shared/units.js";

/** The maximum number of values that are decoded in a message, and of strings with JSON in each other. */
const DECODED = { values: 100, depth: 8 };
const MINIMUM_BASE64 = 20;
const END_OF_YEARS = 253_402_300_800;

/** A number as it is written, where the browser tells it. */
class NumberText {
  constructor(value, context) {
    this.text = context?.source ?? String(value);
  }
}
const withNumbers = (_, value, context) => (typeof value === "number" ? new NumberText(value, context) : value);

/**
 * The data in a text, in order: `{ path, title, contents, note }`. ` → ` leads into JSON within a string. `contents`
 * are texts or bytes.
 */
export function embeddedData(text) {
  const found = [];
  const value = attempt(() => JSON.parse(text, withNumbers));
  // What a browser parses, but not with these numbers, is nested too deeply.
  const data = value === undefined && !isJSONStructure(text) ? dataOf(text) : undefined;
  if (data) found.push({ path: "", ...data });
  else walk(value, "", "", 0, found);
  return { found: found.slice(0, DECODED.values), isCut: found.length >= DECODED.values };
}

function walk(value, prefix, path, depth, found) {
  if (found.length >= DECODED.values) return;
  if (typeof value === "string" || value instanceof NumberText) {
    const place = prefix + (path.startsWith(".") ? path : `.${path}`);
    const data = typeof value === "string" ? dataOf(value) : timeOf(value.text);
    if (data) found.push({ path: place, ...data });
    if (!data?.isJSON || depth === DECODED.depth) return;
    walk(JSON.parse(value, withNumbers), `${place} → `, "", depth + 1, found);
  } else if (Array.isArray(value)) {
    value.forEach((element, index) => walk(element, prefix, `${path}[${index}]`, depth, found));
  } else if (value !== null && typeof value === "object") {
    for (const [name, member] of Object.entries(value)) walk(member, prefix, path + step(name), depth, found);
  }
}

function dataOf(text) {
  if (isJSONStructure(text)) return { title: "JSON", contents: [text], isJSON: true };
  return tokenOf(text) ?? timeOf(text) ?? base64Of(text);
}

/** RFC 7519 §3, RFC 7515 §7.1: three parts in the URL-safe alphabet, the first two of which are JSON objects. */
function tokenOf(text) {
  const parts = text.split(".", 4);
  if (parts.length !== 3 || !parts.every(part => /^[\w-]*$/.test(part))) return undefined;
  const [header, claims] = parts.slice(0, 2).map(part => attempt(() => textOf(parseBase64(part))) ?? "");
  if (![header, claims].every(text => text.startsWith("{") && isJSONStructure(text))) return undefined;
  const { exp } = JSON.parse(claims);
  const isTime = typeof exp === "number" && exp >= 0 && exp < END_OF_YEARS;
  const word = exp * 1000 <= Date.now() ? "expired" : "expires";
  return {
    title: "JSON Web Token, not verified", contents: [header, claims],
    note: isTime ? `${word} ${timeWords(Math.floor(exp), 0)}` : undefined };
}

const textOf = bytes => attempt(() => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));

/** Most words are Base64, too. So a text needs padding, or letters of both cases and digits or signs. */
function base64Of(text) {
  const isLikely = text.endsWith("=") || [/[A-Z]/, /[a-z]/, /[\d+]/].every(kind => kind.test(text));
  const bytes = text.length >= MINIMUM_BASE64 && isLikely && /^[\w+/=-]*$/.test(text)
    ? attempt(() => parseBase64(text)) : undefined;
  if (!bytes) return undefined;
  const decoded = textOf(bytes);
  const isShown = decoded !== undefined && decoded === visible(decoded);
  return { title: `Base64, ${count(bytes.length)} B`, contents: [isShown ? decoded : bytes] };
}

/** Numbers between 2001-09-09 and 2100-01-01 in seconds, milliseconds, microseconds, or nanoseconds. */
function timeOf(text) {
  const match = /^(?=.{10,20}$)([1-9]\d{9})(?:(\d{3}|\d{6}|\d{9})|\.(\d+))?$/.exec(text);
  if (!match) return undefined;
  const seconds = Number(match[1]);
  const microseconds = Number((match[2] ?? match[3] ?? "").slice(0, 6).padEnd(6, "0"));
  return seconds < 4_102_444_800 ? { title: timeWords(seconds, microseconds), contents: [] } : undefined;
}

/** A time, and how far away it is: `2026-05-01T12:00:00.000000Z, 3 h ago`. */
function timeWords(seconds, microseconds) {
  const distance = seconds - Math.floor(Date.now() / 1000);
  const units = [[86_400, "d"], [3600, "h"], [60, "min"], [1, "s"]];
  const [size, name] = units.find(([size]) => Math.abs(distance) >= size) ?? [1, "s"];
  const words = `${count(Math.floor(Math.abs(distance) / size))} ${name}`;
  const start = new Date(seconds * 1000).toISOString().slice(0, 19);
  return `${start}.${String(microseconds).padStart(6, "0")}Z, ${distance > 0 ? `in ${words}` : `${words} ago`}`;
}
