// The facts about the connections shown.

import { byID, html } from "../Shared/elements.js";
import { visible } from "../Shared/text.js";
import { count, shortSize, time } from "../Shared/units.js";

/** `12.3 s`, or `35 min 7 s`. */
export function longTime(us) {
  const seconds = Math.round(us / 1e6);
  return seconds < 120 ? time(us) : `${count(Math.floor(seconds / 60))}\xa0min ${seconds % 60}\xa0s`;
}

/** The facts of a connection, as rows of a name and a value. */
function ownFacts({ facts, ending }) {
  return [
    ["Status", facts.status === 101 ? "" : String(facts.status ?? "")],
    ["Subprotocol", visible(facts.subprotocol ?? "")], ["Extensions", visible(facts.extensions ?? "")],
    ["Address", visible(facts.address ?? "")], ["Closed", ending],
  ];
}

/** Shows the facts of the connection shown, or the sums of all. */
export function showFacts(events, relations) {
  const { connections } = events;
  const only = events.shown ?? (connections.length === 1 ? connections[0] : null);
  const sum = (direction, member) => (only ? [only] : connections).reduce(
    (sum, { counts }) => sum + counts[direction][member], 0);
  const side = direction => `${count(sum(direction, "messages"))} · ${shortSize(sum(direction, "bytes"))}`;
  const start = new Date((only?.start ?? events.start) / 1000);
  const { latencies } = relations;
  const replies = latencies.length ? `${count(latencies.length)} · median ${time(latencies[latencies.length >> 1])} · `
    + `longest ${time(latencies.at(-1))}` : "";
  byID("url").textContent = byID("url").title = visible(only ? only.facts.url : events.title);
  const rows = [
    ["Started", connections.length ? `${start.toLocaleDateString("sv")} ${start.toLocaleTimeString("sv")}` : ""],
    ["Duration", longTime(events.duration)], ["Sent", side("out"), "out"], ["Received", side("in"), "in"],
    ["Replies", replies], ...(only ? ownFacts(only) : []),
  ];
  byID("facts").replaceChildren(...rows.filter(row => row[1]).map(([name, value, kind = ""]) => (
    html("div", {}, html("dt", { class: kind }, name), html("dd", {}, value)))));
}
