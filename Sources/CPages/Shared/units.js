// Units: numbers, sizes, and times as text.

const encoder = new TextEncoder();

/** `1,234`. */
export function count(number) {
  return number.toLocaleString("en");
}

/** A time in microseconds with at least three significant digits: `87.3 us`, `1.25 ms`, `12.0 s`. */
export function time(us, shown = value => value.toFixed(value < 9.995 ? 2 : value < 99.95 ? 1 : 0)) {
  // Switch units half a digit earlier, so 999.96 us becomes 1.00 ms.
  const [size, unit] = [[1e6, "s"], [1e3, "ms"]].find(([size]) => us >= size * 0.9995) ?? [1, "us"];
  return `${shown(us / size)}\xa0${unit}`;
}

/** The size of a text in UTF-8, in bytes. */
export function byteCount(text) {
  return encoder.encode(text).length;
}

/** `1,234 B`. */
export function exactSize(bytes) {
  return `${bytes.toLocaleString("en")} B`;
}

/** `812 B`, `31.2 KiB`, `1.0 GiB`: exact below 10 KiB. */
export function shortSize(bytes) {
  if (bytes < 10240) return exactSize(bytes);
  const units = ["KiB", "MiB", "GiB", "TiB"];
  const power = Math.min(Math.floor(Math.log2(bytes) / 10), units.length);
  return `${(bytes / 1024 ** power).toFixed(1)} ${units[power - 1]}`;
}

/** The current time in milliseconds since 1970, with the precision that the browser provides. */
export function now() {
  return performance.timeOrigin + performance.now();
}

/** The local time of day, `15:04:05.123`. */
export function clockTime(time) {
  const date = new Date(time);
  const pad = (number, width = 2) => String(number).padStart(width, "0");
  const parts = [date.getHours(), date.getMinutes(), date.getSeconds()].map(part => pad(part));
  return `${parts.join(":")}.${pad(date.getMilliseconds(), 3)}`;
}

/** An RFC 3339 time in UTC with microseconds, as in events. */
export function eventTime(time) {
  const microseconds = Math.floor(time * 1000) % 1000;
  return new Date(time).toISOString().replace("Z", `${String(microseconds).padStart(3, "0")}Z`);
}

/** Multiples of 1, 2, or 5 times a power of ten, from 0 to the first one at or above `max`, in about `parts` steps. */
export function linearTicks(max, parts, smallest = 0) {
  const least = Math.max(max / parts, smallest);
  const power = 10 ** Math.floor(Math.log10(least));
  const step = power * [1, 2, 5, 10].find(factor => factor * power >= least * 0.999);
  return Array.from({ length: Math.ceil(max / step - 1e-9) + 1 }, (_, index) => Number((index * step).toPrecision(9)));
}
