// The filter for entries.

import { eventWords } from "./entries.js";
import { decodedLiteral, hexDigits, jsonEscapes, withoutVisibleEscapes } from "./text.js";

/** The kinds of entries that a button hides. */
export const KINDS = ["out", "in", "text", "binary", "events"];
/** The sizes of the searched beginnings of recorded messages, in characters and bytes. */
export const SEARCHED = { text: 4 << 20, binary: 64 << 10 };
const latin1 = new TextDecoder("latin1");

/**
 * A filter for entries, with the words to find, the shown kinds `{ out, in, text, binary, events }`, and a pattern
 * if that is not made from the words.
 */
export class Filter {
  constructor({ words, shown, pattern = words ? searchPattern(words) : null }) {
    this.pattern = pattern;
    this.isHex = /^[\da-f\s]*$/i.test(words);
    this.shown = shown;
  }

  accepts(entry) {
    if (entry.type === "message") {
      if (!this.shown[entry.direction] || !this.shown[entry.opcode]) return false;
    } else if (!this.shown.events) {
      return false;
    }
    if (this.pattern === null) return true;
    const isRegExp = this.pattern instanceof RegExp;
    const contains = text => (isRegExp ? text.search(this.pattern) >= 0 : this.pattern.test(text));
    if (entry.type !== "message") return contains(`${entry.type} ${eventWords(entry)} ${entry.details ?? ""}`);
    const data = entry.beginning?.(SEARCHED[entry.opcode]) ?? entry.data;
    if (entry.opcode === "text") return contains(data);
    const bytes = data.subarray(0, SEARCHED.binary);
    return contains(latin1.decode(bytes)) || (this.isHex && contains(hexDigits(bytes)));
  }
}

/**
 * A pattern that finds words in what was received and in what is shown. These differ in escapes, and in whitespace
 * around the punctuation of JSON.
 */
function searchPattern(words) {
  const literal = text => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  // Escapes have the case of the character.
  const escapes = text => [text, text.toLowerCase(), text.toUpperCase()].map(jsonEscapes);
  const forms = text => [...new Set([text, ...escapes(text), text === "/" ? "\\/" : text])];
  const character = text => text === " " ? "\\s+" : `(?:${forms(text).map(literal).join("|")})`;
  const part = text => Array.from(text.replace(/\s+/g, " "), character).join("");
  const source = text => text.split(/\s*([{}[\],:])\s*/).filter(Boolean).map(part).join("\\s*");
  const variants = new Set([words, decodedLiteral(words), withoutVisibleEscapes(words)]);
  return new RegExp(Array.from(variants, source).join("|"), "giu");
}
