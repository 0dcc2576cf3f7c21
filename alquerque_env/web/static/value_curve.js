// A curve of values over a match, for South: +1 on top. A click on it shows the position there.

import { drawn } from "./elements.js";

// Shows the curve in an element, with marks on it. `values` has the value at the end of each turn, undefined or null where
// it is unknown, `moments` the number of steps there, and `cursor` the one that is shown. `onTurn` is called with another.
export function showCurve(host, values, moments, cursor, onTurn, marks = []) {
  const last = values.length - 1;
  const [width, height] = [Math.max(1, last), 2];
  const now = moments.findLastIndex((moment) => moment <= cursor);
  const label = `Value over ${last} turns`;
  const svg = drawn("svg", { viewBox: `0 -1.1 ${width} ${height + 0.2}`, preserveAspectRatio: "none", role: "img", "aria-label": label });
  const places = values.map((value, x) => (value === undefined || value === null ? null : `${x} ${-value}`)).filter(Boolean);
  const paths = [
    ["zero", `M0 0H${width}`],
    ["now", `M${now} -1.1V1.1`],
    ["values", places.length ? `M${places.join("L")}` : ""],
  ];
  for (const [kind, d] of paths) drawn("path", { class: kind, d, "vector-effect": "non-scaling-stroke" }, svg);
  host.replaceChildren(svg, ...marks);
  // The parent listens, since a curve may be replaced during a click.
  host.onclick = ({ target, clientX }) => {
    const { left, width: pixels } = svg.getBoundingClientRect();
    if (!target.closest("button")) onTurn(moments[Math.round((last * (clientX - left)) / pixels)]);
  };
}

// Where a value stands in the curve, in hundredths of its width and height.
export const placeOf = (values, place, value) => [(100 * place) / Math.max(1, values.length - 1), (100 * (1.1 - value)) / 2.2];
