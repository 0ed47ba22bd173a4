// The results of `wsx check`: a row per case, a column per agent.

import { byID, html } from "../Shared/elements.js";
import { visible } from "../Shared/text.js";
import { VERDICTS, chip, tally } from "./verdicts.js";

const { program: { sections, cases }, agents } = JSON.parse(byID("data").textContent);
/** How connections ended that did not end as they should. */
const ENDINGS = {
  "wrong-code": "wrong close code", unclean: "no close frame", "not-ended": "TCP was not ended",
  failed: "ended too early or not at all",
};
const TEXTS = ["title", "rfc", "expected", "consequence"];
const plural = (count, noun) => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
const span = (name, ...children) => html("span", { class: name }, ...children);

// The cases.

/** The cases in their order: `{ id, title, rfc, expected, consequence, results }`, with a result per agent. */
const rows = new Map(cases.map(item => [item.id, { ...item, results: [] }]));
agents.forEach(({ cases }, index) => {
  for (const result of cases) {
    if (!rows.has(result.id)) rows.set(result.id, { id: result.id, results: [] });
    const row = rows.get(result.id);
    row.results[index] = result;
    for (const name of TEXTS) row[name] ??= result[name];
  }
});
for (const row of rows.values()) {
  const verdicts = row.results.filter(Boolean).map(result => result.verdict);
  row.hasFailed = verdicts.includes("failed");
  row.differs = new Set(verdicts.filter(verdict => verdict !== "skipped")).size > 1;
  row.text = [row.id, row.title, ...row.results.filter(Boolean).flatMap(({ verdict, reason }) => [verdict, reason])].join("\n").toLowerCase();
}
const titles = new Map(sections.map(({ id, title }) => [id, title]));
const groups = Map.groupBy(rows.values(), row => row.id.split(".")[0]);

/** The filter: which cases, and the words in them. */
const filter = { shown: "all", words: "" };
const accepts = row => (filter.shown === "failures" ? row.hasFailed : filter.shown === "differences" ? row.differs : true)
  && row.text.includes(filter.words);

// The table.

const table = document.querySelector("table");
/** The sections that the user has opened or closed. */
const isOpen = new Map();
let selected = { row: null, button: null };

const totals = rows => agents.map((_, index) => html("td", {}, tally(rows.map(row => row.results[index]?.verdict))));

function cell(row, index) {
  const result = row.results[index];
  if (!result) return html("td", { class: "quiet" }, "not played");
  const ending = ENDINGS[result.close];
  return html("td", { class: result.verdict === "failed" ? "failed" : "", "data-agent": index },
    chip(result.verdict, result.known ? `${result.verdict}, known` : undefined),
    ...(ending ? [span("ending", ending)] : []));
}

function rowOf(row) {
  const button = html("button", { type: "button", "aria-expanded": row === selected.row },
    span("id", visible(row.id)), " ", span("title", visible(`${row.title}`)));
  const element = html("tr", { class: row === selected.row ? "case selected" : "case" },
    html("th", { scope: "row" }, button), ...agents.map((_, index) => cell(row, index)));
  element.addEventListener("click", event => select(row, button, event.target.closest("td")?.dataset.agent));
  if (row === selected.row) selected.button = button;
  return element;
}

function sectionOf(id, rows) {
  const shown = rows.filter(accepts);
  if (!shown.length) return [];
  const isFiltered = filter.shown !== "all" || filter.words !== "";
  const opens = isFiltered || (isOpen.get(id) ?? rows.some(row => row.hasFailed || row.differs));
  const button = html("button", { type: "button", "aria-expanded": opens },
    span("id", visible(id)), " ", span("title", visible(titles.get(id) ?? "")), " ",
    span("quiet", shown.length < rows.length ? `${shown.length} of ${rows.length}` : `${rows.length}`));
  const body = html("tbody", {}, html("tr", { class: "section" }, html("th", { scope: "rowgroup" }, button), ...totals(rows)));
  const fill = opens => {
    button.setAttribute("aria-expanded", opens);
    while (body.rows.length > 1) body.rows[1].remove();
    if (opens) body.append(...shown.map(rowOf));
  };
  body.rows[0].addEventListener("click", () => {
    const opens = button.getAttribute("aria-expanded") !== "true";
    isOpen.set(id, opens);
    fill(opens);
  });
  fill(opens);
  return [body];
}

function show() {
  const all = [...rows.values()];
  for (const body of [...table.tBodies]) body.remove();
  table.append(...[...groups].flatMap(([id, rows]) => sectionOf(id, rows)));
  const count = all.filter(accepts).length;
  byID("count").textContent = count === all.length ? "" : `${plural(count, "case")} of ${all.length.toLocaleString("en")}`;
  byID("nothing").hidden = count > 0;
  byID("nothing").textContent = all.length ? "No case matches." : "There are no results yet.";
}

function showHead() {
  const all = [...rows.values()];
  const head = ({ agent, role, echoes }) => html("th", { scope: "col", title: visible(agent) },
    html("div", {}, visible(agent)), html("small", {}, visible(`${role}${echoes === false ? ", does not echo" : ""}`)));
  table.tHead.append(
    html("tr", {}, html("th", { scope: "col" }, "Case"), ...agents.map(head)),
    html("tr", { class: "total" }, html("th", { scope: "row" }, "All cases"), ...totals(all)));
  const failures = all.filter(row => row.hasFailed).length;
  const differences = all.filter(row => row.differs).length;
  byID("summary").textContent = `${plural(agents.length, "agent")}, ${plural(all.length, "case")}`;
  document.title = `${failures ? plural(failures, "failure") : "No failure"} – wsx check`;
  for (const [value, count] of [["failures", failures], ["differences", differences]]) {
    const label = document.querySelector(`[value=${value}]`).parentElement;
    label.querySelector("b").textContent = count.toLocaleString("en");
    label.hidden = value === "differences" && agents.length < 2;
  }
}

// The details.

/** The references of a case as links to the RFCs: `6455 §5.2, §7.1.7`. */
function references(text) {
  let number = "";
  return text.split(", ").flatMap((part, index) => {
    const [, rfc, section] = /^(\d{4})?\s*(?:§([\d.]+))?$/.exec(part) ?? [];
    number = rfc ?? number;
    const name = visible(rfc ? `RFC ${part}` : part);
    const link = number && section
      ? html("a", { href: `https://www.rfc-editor.org/rfc/rfc${number}#section-${section}`, rel: "noreferrer" }, name) : name;
    return index ? [", ", link] : [link];
  });
}

function frameLine({ sent, kind, bytes, text = "", hex }) {
  const length = hex ? hex.length / 2 : new Blob([text]).size;
  const data = visible(`${hex ?? text}`.replaceAll("\r\n", "\n")) + (length && length < bytes ? "…" : "");
  return html("li", { class: sent ? "sent" : "received" }, span("direction", sent ? "→ sent" : "← received"), " ",
    `${visible(`${kind}`)}, ${plural(Number(bytes), "byte")}`, ...(data ? [html("code", {}, data)] : []));
}

function resultOf(agent, result) {
  const { frames = [], omitted_frames: omitted = 0, reason, rfc, verdict, close, ms } = result;
  return html("section", {},
    html("h3", {}, visible(agent.agent)),
    html("p", {}, chip(verdict, result.known ? `${verdict}, a known failure` : undefined), " ", span("quiet", `${Number(ms)} ms`)),
    ...(reason ? [html("p", {}, visible(reason))] : []),
    ...(verdict === "failed" && rfc ? [html("p", { class: "quiet" }, "Violates ", ...references(rfc))] : []),
    ...(ENDINGS[close] ? [html("p", { class: "ending" }, `Connection: ${ENDINGS[close]}`)] : []),
    ...(frames.length ? [html("ol", { class: "frames" }, ...frames.map(frameLine),
      ...(omitted ? [html("li", { class: "quiet" }, `and ${plural(Number(omitted), "more frame")}`)] : []))] : []));
}

/** Shows a case, with the result of an agent first, and then the worst ones. */
function select(row, button, first) {
  selected.button?.setAttribute("aria-expanded", false);
  selected.button?.closest("tr").classList.remove("selected");
  selected = { row, button };
  button.setAttribute("aria-expanded", true);
  button.closest("tr").classList.add("selected");
  const close = html("button", { type: "button", "aria-label": "Close" }, "✕");
  close.addEventListener("click", unselect);
  const facts = [["Accepted", row.expected], ["A failure means", row.consequence]].filter(([, text]) => text);
  const rank = index => (index === Number(first) ? -1 : Object.keys(VERDICTS).indexOf(row.results[index]?.verdict));
  const order = [...agents.keys()].sort((one, other) => rank(one) - rank(other));
  byID("details").replaceChildren(
    html("div", { class: "head" }, html("h2", {}, span("id", visible(row.id)), " ", visible(`${row.title}`)), close),
    ...(row.rfc ? [html("p", {}, ...references(row.rfc))] : []),
    html("dl", {}, ...facts.flatMap(([name, text]) => [html("dt", {}, name),
      html("dd", { class: name === "Accepted" ? "code" : "" }, visible(text))])),
    ...order.filter(index => row.results[index]).map(index => resultOf(agents[index], row.results[index])));
  byID("details").hidden = false;
  byID("details").scrollTop = 0;
}

function unselect() {
  const { button } = selected;
  button?.setAttribute("aria-expanded", false);
  button?.closest("tr").classList.remove("selected");
  selected = { row: null, button: null };
  byID("details").hidden = true;
  if (button?.isConnected) button.focus();
}

// Keys.

function moveFocus(event) {
  const buttons = [...table.tBodies].flatMap(body => [...body.querySelectorAll("button")]);
  const index = buttons.indexOf(document.activeElement);
  const target = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: buttons.length - 1 }[event.key];
  if (index < 0 || !buttons[target]) return;
  event.preventDefault();
  buttons[target].focus();
  if (!byID("details").hidden && buttons[target].closest(".case")) buttons[target].click();
}

table.addEventListener("keydown", moveFocus);
document.addEventListener("keydown", event => event.key === "Escape" && unselect());
byID("filters").addEventListener("submit", event => event.preventDefault());
byID("filters").addEventListener("input", () => {
  filter.shown = document.querySelector("[name=shown]:checked").value;
  filter.words = byID("words").value.trim().toLowerCase();
  show();
});
showHead();
show();
