// Text: indented JSON, hexadecimal dumps, and escaping of text from peers.

// Characters that can reorder text or be invisible: controls, bidirectional and zero-width characters, fillers, tags.
const INVISIBLE = new RegExp(
  "[\\0-\\x08\\x0b-\\x1f\\x7f-\\x9f\\xad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180e\\u200b-\\u200f"
    + "\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ufeff\\uffa0\\ufff0-\\ufffb\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}"
    + "\\u{e0000}-\\u{e00ff}\\u{e01f0}-\\u{e0fff}]", "gu");
// Joiners that are text, as in JoinerContext: in sequences of emoji, after a virama, and between joined letters.
const VIRAMAS = "\\u094d\\u09cd\\u0a4d\\u0acd\\u0b4d\\u0bcd\\u0c4d\\u0ccd\\u0d4d\\u0dca\\u1039\\u17d2";
const CURSIVE = "(?=[\\p{sc=Arab}\\p{sc=Syrc}\\p{sc=Nkoo}\\p{sc=Mand}\\p{sc=Mong}\\p{sc=Adlm}])\\p{L}";
const RIGHT_JOINING = "[\\u0622-\\u0625\\u0627\\u0629\\u062f-\\u0632\\u0648\\u0671-\\u0673\\u0675-\\u0677\\u0688-\\u0699"
  + "\\u06c0\\u06c3-\\u06cb\\u06cd\\u06cf\\u06d2\\u06d3\\u06d5\\u06ee\\u06ef]";
const JOINERS = new RegExp(
  "\\u200d(?<=\\p{Extended_Pictographic}[\\p{M}\\p{Emoji_Modifier}]{0,8}\\u200d)(?=\\p{Extended_Pictographic})"
    + `|\\u200d(?<=\\p{L}\\p{M}{0,8}[${VIRAMAS}]\\u200d)`
    + `|\\u200c(?<=\\p{L}\\p{M}{0,8}[${VIRAMAS}]\\u200c)(?=[^\\0-\\x7f])(?=\\p{L})`
    + `|\\u200c(?<=(?!${RIGHT_JOINING})${CURSIVE}\\p{M}{0,8}\\u200c)(?=${CURSIVE})`, "gu");
const MAXIMUM_INDENTATION = 32;
const DIGITS = Array.from({ length: 16 }, (_, digit) => digit.toString(16).charCodeAt(0));

/** Escapes invisible characters, except line feeds and tabs, as `\u{XX}`. */
export function visible(text) {
  return escapeInvisible(text, character => `\\u{${character.codePointAt(0).toString(16).toUpperCase()}}`);
}

/** Replaces the escapes of `visible` by their characters. */
export function withoutVisibleEscapes(text) {
  return text.replace(/\\u\{([0-9a-f]{1,5})\}/gi, (_, digits) => String.fromCodePoint(parseInt(digits, 16)));
}

function escapeInvisible(text, escape) {
  const joiners = new Set(Array.from(text.matchAll(JOINERS), match => match.index));
  return text.replace(INVISIBLE, (character, index) => joiners.has(index) ? character : escape(character));
}

/** A literal of a JSON string with text instead of escapes, except for what is invisible. */
export function decodedLiteral(literal) {
  if (!literal.includes("\\")) return literal;
  // Quotes, backslashes, controls, and unpaired surrogates stay escaped.
  const decoded = literal.replace(/(?:\\u[0-9a-fA-F]{4})+|\\./g, escapes => {
    if (escapes.length === 2) return escapes === "\\/" ? "/" : escapes;
    return JSON.parse(`"${escapes}"`).replace(/[\0-\x1f"\\]|\p{Surrogate}/gu, jsonEscapes);
  });
  return escapeInvisible(decoded, jsonEscapes);
}

/** Text as escapes in a JSON string, such as `\u00eb`. */
export function jsonEscapes(text) {
  return text.split("").map(unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`).join("");
}

/**
 * JSON as pieces `[kind, text]`, indented or on one line. Tokens are unchanged, which preserves numbers too large for
 * JavaScript and repeated names, except for strings that `convert` changes. The text must be valid JSON.
 */
export function* jsonPieces(text, { isIndented = true, convert = literal => literal } = {}) {
  const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s{}[\],:"]+/g;
  const isOpening = token => token === "{" || token === "[";
  const lineBreak = depth => ["", "\n" + "  ".repeat(Math.min(depth, MAXIMUM_INDENTATION))];
  const isName = /\s*:/y;
  let depth = 0;
  let previous = "";
  for (const { 0: token, index } of text.matchAll(tokens)) {
    if (token === "}" || token === "]") {
      depth -= 1;
      if (isIndented && !isOpening(previous)) yield lineBreak(depth);
    } else if (previous === "," || (isIndented && isOpening(previous))) {
      yield isIndented ? lineBreak(depth) : ["", " "];
    }
    if (token[0] === '"') {
      isName.lastIndex = index + token.length;
      yield [isName.test(text) ? "name" : "string", convert(token)];
    } else if (token === ":") {
      yield ["", ": "];
    } else {
      yield ["{}[],".includes(token) ? "" : "literal", token];
    }
    if (isOpening(token)) depth += 1;
    previous = token;
  }
}

/** What a function returns, or `undefined` if it throws. */
export function attempt(work) {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** Whether a text is a JSON object or array, which can be indented. */
export function isJSONStructure(text) {
  return /^\s*[{[]/.test(text) && attempt(() => JSON.parse(text)) !== undefined;
}

/** Two digits per byte, separated by spaces. */
export function hexDigits(bytes) {
  const text = new Uint8Array(Math.max(0, 3 * bytes.length - 1)).fill(0x20);
  for (let index = 0; index < bytes.length; index += 1) {
    text[3 * index] = DIGITS[bytes[index] >> 4];
    text[3 * index + 1] = DIGITS[bytes[index] & 15];
  }
  return new TextDecoder().decode(text);
}

/** A hexadecimal dump with a text column, as pieces. A single line has no offset. */
export function* dumpPieces(bytes, lineBytes) {
  const offsetDigits = Math.max(4, (bytes.length - 1).toString(16).length);
  for (let start = 0; start < bytes.length; start += lineBytes) {
    const line = bytes.subarray(start, start + lineBytes);
    const half = lineBytes / 2;
    const rest = line.length > half ? "  " + hexDigits(line.subarray(half)) : "";
    const digits = hexDigits(line.subarray(0, half)) + rest;
    if (start > 0) yield ["", "\n"];
    if (bytes.length > lineBytes) yield ["quiet", start.toString(16).padStart(offsetDigits, "0") + "  "];
    yield ["", (bytes.length > lineBytes ? digits.padEnd(lineBytes * 3) : digits) + "  "];
    yield ["string", Array.from(line, byte => byte >= 0x20 && byte <= 0x7e ? String.fromCharCode(byte) : ".").join("")];
  }
}

/** Parses digits of either case, with blanks between bytes. Throws an error that states the problem. */
export function parseHex(text) {
  const bytes = [];
  const wrong = /[^0-9a-fA-F\s]/u.exec(text);
  if (wrong) throw new Error(`Not hexadecimal: “${visible(wrong[0])}” at character ${wrong.index + 1}`);
  for (const word of text.split(/\s+/)) {
    if (word.length % 2) throw new Error(`Not hexadecimal: “${shortened(word)}” has an odd number of digits`);
    for (let index = 0; index < word.length; index += 2) bytes.push(parseInt(word.slice(index, index + 2), 16));
  }
  return Uint8Array.from(bytes);
}

/** Parses Base64 in either alphabet, with or without padding. Throws an error that states the problem. */
export function parseBase64(text) {
  const wrong = /[^A-Za-z0-9+/\-_=\s]/u.exec(text);
  if (wrong) throw new Error(`Not Base64: “${visible(wrong[0])}” at character ${wrong.index + 1}`);
  let decoded;
  try {
    decoded = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  } catch {
    throw new Error("Not Base64: wrong length or padding");
  }
  const bytes = new Uint8Array(decoded.length);
  for (let index = 0; index < bytes.length; index += 1) bytes[index] = decoded.charCodeAt(index);
  return bytes;
}

/** Base64 with padding. */
export function toBase64(bytes) {
  let text = "";
  // The number of arguments in a call is limited.
  for (let start = 0; start < bytes.length; start += 8192) {
    text += String.fromCharCode(...bytes.subarray(start, start + 8192));
  }
  return btoa(text);
}

/** JSON with invisible characters escaped, so events are safe to view on a terminal. */
export function escapedJSON(value) {
  return JSON.stringify(value).replace(INVISIBLE, jsonEscapes);
}

function shortened(text) {
  return text.length > 20 ? text.slice(0, 20) + "…" : text;
}
