// Messages as elements: excerpts, colors, marks of matches, and images.

import { eventWords } from "./entries.js";
import { decodedLiteral, dumpPieces, isJSONStructure, jsonPieces, toBase64, visible } from "./text.js";

/** The limits for a message, and for one shown in full. */
export const EXCERPT = { characters: 1000, lines: 24, colors: 400 };
export const WHOLE = { characters: 1 << 20, lines: 50_000, colors: 20_000 };
/** The limits for an image: its size in bytes, and its pixels, which take four bytes each. */
const IMAGE = { bytes: 4 << 20, pixels: 1 << 24 };
/** The images that are shown, and how they start. None of them can contain a script. */
const IMAGE_TYPES = { png: /^\x89PNG\r\n\x1a\n/, jpeg: /^\xff\xd8\xff/, gif: /^GIF8[79]a/, webp: /^RIFF.{4}WEBP/s };

/** An element with a class and a text. */
export function cell(name, text, tag = "span") {
  const element = document.createElement(tag);
  element.className = name;
  element.textContent = text;
  return element;
}

/** Whether an entry is JSON of up to a number of bytes, which can be indented. */
export function isJSONEntry(entry, maximumBytes) {
  return entry.opcode === "text" && entry.bytes <= maximumBytes && isJSONStructure(entry.data);
}

/** An entry as pieces `[kind, text]`. */
export function entryPieces(entry, { isJSON, isIndented, lineBytes }) {
  if (entry.type !== "message") return [["", eventWords(entry)]];
  if (entry.opcode !== "text") return dumpPieces(entry.data, lineBytes);
  return isJSON ? jsonPieces(entry.data, { isIndented, convert: decodedLiteral }) : [["", entry.data]];
}

/** The limits of an entry. Dumps are cut between lines of up to 72 characters, other entries after a character. */
export function limitOf(entry, limit) {
  if (entry.opcode !== "binary") return limit;
  return { ...limit, characters: Infinity, lines: Math.floor(limit.characters / 72) };
}

/** The first pieces, up to a limit of characters and lines. */
export function excerpt(pieces, limit) {
  const taken = [];
  let characters = limit.characters;
  let lines = limit.lines;
  for (const [kind, text] of pieces) {
    let end = Math.min(text.length, characters);
    for (let index = text.indexOf("\n"); index >= 0 && index < end; index = text.indexOf("\n", index + 1)) {
      lines -= 1;
      if (lines === 0) end = index;
    }
    // Do not split a surrogate pair.
    if (end < text.length && /[\ud800-\udbff]/.test(text.charAt(end - 1))) end -= 1;
    taken.push([kind, text.slice(0, end)]);
    if (end < text.length || lines === 0) return { pieces: taken, isCut: true };
    characters -= end;
  }
  return { pieces: taken, isCut: false };
}

/** Appends pieces to an element. Those with a kind and matches get their own elements, up to a maximum number. */
export function appendPieces(target, pieces, pattern, maximumElements) {
  let elements = 0;
  let plain = "";
  for (const [kind, text, isMatch] of splitAtMatches(pieces.map(([kind, text]) => [kind, visible(text)]), pattern)) {
    if ((kind === "" && !isMatch) || elements >= maximumElements) {
      plain += text;
      continue;
    }
    if (plain) target.append(plain);
    plain = "";
    target.append(isMatch ? cell("", text, "mark") : cell(kind, text));
    elements += 1;
  }
  if (plain) target.append(plain);
}

/** Splits pieces at the matches of a pattern, as `[kind, text, isMatch]`. */
function* splitAtMatches(pieces, pattern) {
  const text = pieces.map(piece => piece[1]).join("");
  const matches = pattern ? text.matchAll(pattern) : [];
  // The offsets at which matches start and end, in turn.
  const bounds = Array.from(matches, ({ 0: match, index }) => [index, index + match.length]).flat();
  let start = 0;
  let next = 0;
  for (const [kind, piece] of pieces) {
    for (const end = start + piece.length; start < end;) {
      const stop = Math.min(end, bounds[next] ?? end);
      if (start < stop) yield [kind, text.slice(start, stop), next % 2 === 1];
      if (stop === bounds[next]) next += 1;
      start = stop;
    }
  }
}

/** The type of an image, by its first bytes. */
export function imageTypeOf(entry) {
  if (entry.opcode !== "binary" || entry.bytes > IMAGE.bytes) return undefined;
  const start = String.fromCharCode(...entry.data.subarray(0, 12));
  return Object.keys(IMAGE_TYPES).find(type => IMAGE_TYPES[type].test(start));
}

/** Replaces the dump of an image, unless the browser cannot read it or it is too large. */
export function showImage(target, entry, type) {
  const dump = target.firstChild;
  const image = new Image();
  image.addEventListener("load", () => {
    const { naturalWidth: width, naturalHeight: height } = image;
    // The entry may have been painted again meanwhile.
    if (width * height > IMAGE.pixels || target.firstChild !== dump) return;
    image.alt = `${type.toUpperCase()} image, ${width} × ${height}`;
    target.replaceChildren(image, cell("rest", image.alt));
  });
  image.src = `data:image/${type};base64,${toBase64(entry.data)}`;
}
