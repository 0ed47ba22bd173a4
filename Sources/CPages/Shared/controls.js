// Controls: toggles, the clipboard, downloads, and the theme.

import { byID } from "./elements.js";

const THEMES = ["auto", "light", "dark"];

/** Whether a toggle is on. */
export function isPressed(id) {
  return byID(id).getAttribute("aria-pressed") === "true";
}

/** Switches a toggle on or off. */
export function setPressed(id, isOn) {
  byID(id).setAttribute("aria-pressed", String(isOn));
}

/** Makes a button switch between pressed and not, and calls `changed(isOn)` after each click. */
export function toggle(id, changed) {
  byID(id).addEventListener("click", () => {
    setPressed(id, !isPressed(id));
    changed(isPressed(id));
  });
}

/** A function that does work soon, and then not for ten times as long as it took. */
export function sparingly(work) {
  let timer = 0;
  let dueTime = 0;
  return () => {
    timer ||= setTimeout(() => {
      const start = performance.now();
      timer = 0;
      work();
      dueTime = performance.now() + 10 * (performance.now() - start);
    }, dueTime - performance.now());
  };
}

/** Copies a text to the clipboard. */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Pages loaded over plain HTTP from another host have no clipboard API, only the copy command.
    const focused = document.activeElement;
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
    focused?.focus();
  }
}

/** Downloads a file. */
export function saveFile(parts, name, type) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob(parts, { type }));
  link.download = name;
  link.click();
  // Delayed, because the browser reads the URL later.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** Makes a button switch between the themes, and remembers the choice under a key. */
export function offerThemes(button, key) {
  const show = theme => {
    document.documentElement.dataset.theme = theme;
    button.textContent = `Theme: ${theme}`;
  };
  button.addEventListener("click", () => {
    const theme = THEMES[(THEMES.indexOf(document.documentElement.dataset.theme) + 1) % THEMES.length];
    show(theme);
    try {
      localStorage.setItem(key, theme);
    } catch {
      // Without storage, the setting applies only to this page.
    }
  });
  let stored = null;
  try {
    stored = localStorage.getItem(key);
  } catch {
    // Without storage, the page begins with the theme of the system.
  }
  show(THEMES.includes(stored) ? stored : "auto");
}
