// Verdicts as words, signs, and colors.

import { html } from "../Shared/elements.js";

/** The verdicts with their signs, the worst first. */
export const VERDICTS = { failed: "✗", "non-strict": "△", informational: "○", passed: "✓", skipped: "–" };

/** A verdict as its sign and word. */
export const chip = (verdict, words = verdict) =>
  html("span", { class: `chip ${verdict}` }, html("span", { "aria-hidden": true }, VERDICTS[verdict]), ` ${words}`);

/** The numbers of verdicts, with a bar of their shares. */
export function tally(verdicts) {
  const counts = Object.keys(VERDICTS)
    .map(name => [name, verdicts.filter(verdict => verdict === name).length]).filter(([, count]) => count);
  const bar = html("span", { class: "bar", "aria-hidden": true });
  for (const [name, count] of counts) {
    const part = html("span", { class: name });
    part.style.flexGrow = count;
    bar.append(part);
  }
  return html("div", { class: "tally" },
    ...counts.flatMap(([name, count]) => [chip(name, `${count.toLocaleString("en")} ${name}`), " "]), bar);
}
