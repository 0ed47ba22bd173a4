// Checks the browser that opens this page, as a client of the Autobahn TestSuite.

import { byID, html } from "../Shared/elements.js";
import { tally } from "./verdicts.js";

/** The names of browsers in `navigator.userAgent`. Most contain those of others. */
const BROWSERS = [["Edg", "Edge"], ["OPR", "Opera"], ["Firefox"], ["Chrome"], ["Version", "Safari"]];
/** The verdicts by their names in the TestSuite. */
const BEHAVIORS = {
  OK: "passed", "NON-STRICT": "non-strict", INFORMATIONAL: "informational", FAILED: "failed", UNIMPLEMENTED: "skipped",
};

/** Such as `Firefox 140`, unless the page's address names an agent. */
function agentName() {
  const asked = new URLSearchParams(location.search).get("agent");
  if (asked) return asked;
  for (const [part, name = part] of BROWSERS) {
    const version = new RegExp(`${part}/(\\d+)`).exec(navigator.userAgent);
    if (version) return `${name} ${version[1]}`;
  }
  return "browser";
}

/** Connects, and returns the first message, or undefined without one. */
function visit(path, echoes = false) {
  return new Promise(resolve => {
    const socket = new WebSocket(`${location.origin.replace("http", "ws")}${path}`);
    socket.binaryType = "arraybuffer";
    let message;
    socket.addEventListener("message", ({ data }) => {
      message ??= data;
      if (echoes) socket.send(data);
    });
    socket.addEventListener("close", () => resolve(message));
  });
}

/** The verdict on a case, which may come a moment after the end of its connection; undefined if there is none. */
async function verdict(query) {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const status = await visit(`/getCaseStatus?${query}`);
    if (status === undefined) break;
    const { behavior } = JSON.parse(status);
    if (behavior) return BEHAVIORS[behavior];
    await new Promise(resolve => setTimeout(resolve, 50));
  }
  return undefined;
}

async function run() {
  const agent = agentName();
  const name = encodeURIComponent(agent);
  byID("agent").textContent = agent;
  const count = Number(await visit("/getCaseCount"));
  const progress = document.querySelector("progress");
  progress.max = count;
  const verdicts = [];
  for (let number = 1; number <= count; number += 1) {
    byID("state").textContent = `Case ${number} of ${count}`;
    const query = `case=${number}&agent=${name}`;
    await visit(`/runCase?${query}`, true);
    verdicts.push(await verdict(query));
    if (!verdicts.at(-1)) break;
    progress.value = number;
    byID("tally").replaceChildren(tally(verdicts));
  }
  if (!count || verdicts.includes(undefined)) {
    byID("state").replaceChildren(html("strong", {}, "wsx check does not answer any more."));
    return;
  }
  // This is `/updateReports` for a page: the answer has the results.
  location.replace(`/report?agent=${name}`);
}

run();
