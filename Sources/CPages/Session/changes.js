// Differences between JSON texts, as in `JSONChanges`.

const MAXIMUM_CHANGES = 100;
const MAXIMUM_DEPTH = 32;
const MAXIMUM_CHARACTERS = 40;

/** An integer with more digits than JavaScript's numbers keep. */
const exact = (_, value, context) => (
  typeof value === "number" && /^-?\d{16,}$/.test(context?.source ?? "") ? BigInt(context.source) : value);

/**
 * The differences between two JSON texts, by their values: `{ path, from, to }`, without `from` if the value is new,
 * and without `to` if it is gone. Elements of arrays are compared by their places, after the equal ones at both ends.
 */
export function changesBetween(old, now) {
  const changes = [];
  compare(JSON.parse(old, exact), JSON.parse(now, exact), "", 0, changes);
  return { changes: changes.slice(0, MAXIMUM_CHANGES), omittedCount: Math.max(0, changes.length - MAXIMUM_CHANGES) };
}

const isObject = value => typeof value === "object" && value !== null;

function isEqual(one, other) {
  if (!isObject(one) || !isObject(other)) return one === other;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const names = Object.keys(one);
  return names.length === Object.keys(other).length
    && names.every(name => Object.hasOwn(other, name) && isEqual(one[name], other[name]));
}

function compare(old, now, path, depth, changes) {
  const isNested = isObject(old) && isObject(now) && Array.isArray(old) === Array.isArray(now);
  if (!isNested || depth === MAXIMUM_DEPTH) {
    if (!isEqual(old, now)) changes.push({ path: path || ".", from: shown(old), to: shown(now) });
  } else if (Array.isArray(old)) {
    compareElements(old, now, path, depth, changes);
  } else {
    for (const [name, value] of Object.entries(now)) {
      if (Object.hasOwn(old, name)) compare(old[name], value, path + step(name), depth + 1, changes);
      else changes.push({ path: path + step(name), to: shown(value) });
    }
    for (const name of Object.keys(old)) {
      if (!Object.hasOwn(now, name)) changes.push({ path: path + step(name), from: shown(old[name]) });
    }
  }
}

function compareElements(old, now, path, depth, changes) {
  const shorter = Math.min(old.length, now.length);
  let start = 0;
  while (start < shorter && isEqual(old[start], now[start])) start += 1;
  let end = 0;
  while (start + end < shorter && isEqual(old.at(-1 - end), now.at(-1 - end))) end += 1;
  for (let index = start; index < Math.max(old.length, now.length) - end; index += 1) {
    const place = `${path || "."}[${index}]`;
    if (index >= now.length - end) changes.push({ path: place, from: shown(old[index]) });
    else if (index >= old.length - end) changes.push({ path: place, to: shown(now[index]) });
    else compare(old[index], now[index], place, depth + 1, changes);
  }
}

/** The step of a path to a member. */
export const step = name => `.${/^[\w$@-]+$/.test(name) ? name : JSON.stringify(name)}`;

/** A value on one line, abbreviated if it is long. */
function shown(value) {
  const text = JSON.stringify(value, (_, part) => (typeof part === "bigint" ? JSON.rawJSON?.(part) ?? `${part}` : part));
  if (text.length <= MAXIMUM_CHARACTERS) return text;
  if (isObject(value)) return Array.isArray(value) ? "[…]" : "{…}";
  return text.slice(0, MAXIMUM_CHARACTERS).toWellFormed() + (typeof value === "string" ? "…\"" : "…");
}
