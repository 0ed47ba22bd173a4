// The live page: what is shown while the run goes on.

import { setPressed, toggle } from "../Shared/controls.js";
import { byID } from "../Shared/elements.js";
import { visible } from "../Shared/text.js";
import { savePage } from "./copies.js";
import { Feed, Link } from "./feed.js";
import { HeldMessages } from "./held.js";
import { Sending } from "./sending.js";

/** The time between updates of the view. */
const UPDATE_MS = 100;
/** Windows of this width have room for the panels. */
const wide = matchMedia("(min-width: 60rem)");

/**
 * Connects to wsx and shows what it sends. `view` has functions: `readAdded()` shows added events, `forget(count)`
 * forgets dropped ones, `refresh()` shows facts again, and `showAll()` shows all connections. `page` is the page as it
 * was loaded. Returns a function that goes to the panel `sending` or `holding`.
 */
export function startLive(events, view, page) {
  // A new run has another token.
  addEventListener("hashchange", () => location.reload());
  let feed = new Feed(events);
  let updateTimer = 0;
  const act = action => {
    byID("failure").textContent = "";
    link.send(action);
  };
  const attemptAct = action => {
    try {
      act(action);
    } catch (error) {
      byID("failure").textContent = error.message;
    }
  };
  const sending = new Sending(events, act);
  const edit = message => {
    showPanel("sending", true);
    sending.edit(message);
  };
  const held = new HeldMessages({ act: attemptAct, edit });
  const lines = {
    hello: hello => {
      // A connection that is made again gets everything again.
      view.forget(events.clear());
      feed = new Feed(events);
      events.title = hello.words;
      document.title = `wsx ${hello.command}`;
      held.clear();
      sending.begin(hello);
      byID("live").hidden = false;
      byID("show-holding").hidden = !hello.holds;
      held.show(hello.holding ?? []);
      view.showAll();
    },
    held: message => {
      held.add(message);
      showPanel("holding", true);
    },
    settled: ({ id }) => {
      held.settle(id);
      sending.settle(id);
    },
    // What is held now follows.
    omitted: () => held.clear(),
    holding: ({ conditions }) => held.show(conditions),
    problem: ({ message }) => { byID("failure").textContent = visible(message); },
    ended: ({ status, message }) => {
      link.end();
      held.clear();
      for (const connection of events.connections) connection.isOpen = false;
      const words = message ? `: ${visible(message)}` : "";
      byID("notice").textContent = `wsx has ended with status ${status}${words}. The page keeps its data.`;
    },
  };
  const didReceive = text => {
    for (const line of feed.add(text)) lines[line.type]?.(line);
    const dropped = events.trim();
    if (dropped) view.forget(dropped);
    updateTimer ||= setTimeout(() => {
      updateTimer = 0;
      view.readAdded();
      view.refresh();
      sending.update();
    }, UPDATE_MS);
  };
  const link = new Link(location.hash.slice(1), {
    didReceive, didChange: words => { byID("notice").textContent = words; },
  });
  const panels = { sending, holding: held };
  const open = name => {
    if (byID("live").hidden) return;
    showPanel(name, true);
    panels[name].focus();
  };
  for (const name of Object.keys(panels)) {
    toggle(`show-${name}`, isOn => (isOn ? open(name) : showPanel(name, false)));
    showPanel(name, wide.matches && name === "sending");
  }
  byID("save-page").addEventListener("click", () => savePage(page, events));
  return open;
}

function showPanel(name, isShown) {
  setPressed(`show-${name}`, isShown);
  byID(name).hidden = !isShown;
}
