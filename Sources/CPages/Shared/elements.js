// Elements of the page.

/** The element with an identifier. */
export const byID = id => document.getElementById(id);

const maker = namespace => (name, attributes = {}, ...children) => {
  const element = document.createElementNS(namespace, name);
  for (const [attribute, value] of Object.entries(attributes)) element.setAttribute(attribute, value);
  element.append(...children);
  return element;
};

/** Creates an element with attributes and children, which may be strings. */
export const html = maker("http://www.w3.org/1999/xhtml");
/** Creates an SVG element with attributes and children. */
export const svg = maker("http://www.w3.org/2000/svg");
