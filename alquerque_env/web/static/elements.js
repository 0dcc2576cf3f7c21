// Makes elements. Text becomes text, never HTML.

export const SVG = "http://www.w3.org/2000/svg";

export function made(name, properties = {}, ...content) {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...content);
  return element;
}

export function button(text, onClick, properties = {}) {
  const element = made("button", { type: "button", ...properties }, text);
  element.addEventListener("click", onClick);
  return element;
}

// Fills a list with values and their texts, and chooses one: `wanted` if it is there.
export function fillSelect(select, choices, wanted, otherwise = choices[0][0]) {
  select.replaceChildren(...choices.map(([value, text]) => new Option(text, value)));
  select.value = choices.some(([value]) => value === wanted) ? wanted : otherwise;
}

// The address of an SVG picture.
export const pictureAddress = (svg) => `data:image/svg+xml,${encodeURIComponent(svg)}`;

export function drawn(name, attributes, parent) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  parent?.append(element);
  return element;
}
