// A curve of values over a match, for South: +1 on top.

import { drawn } from "./elements.js";

// `values` has the value at the end of each turn, undefined or null where it is unknown; `now` is the place shown.
export function valueCurve(values, now) {
  const [width, height] = [Math.max(1, values.length - 1), 2];
  const label = `Value over ${values.length - 1} turns`;
  const svg = drawn("svg", { viewBox: `0 -1.1 ${width} ${height + 0.2}`, preserveAspectRatio: "none", role: "img", "aria-label": label });
  const places = values.map((value, x) => (value === undefined || value === null ? null : `${x} ${-value}`)).filter(Boolean);
  const paths = [
    ["zero", `M0 0H${width}`],
    ["now", `M${now} -1.1V1.1`],
    ["values", places.length ? `M${places.join("L")}` : ""],
  ];
  for (const [kind, d] of paths) drawn("path", { class: kind, d, "vector-effect": "non-scaling-stroke" }, svg);
  return svg;
}

// Where a value stands in the curve, in hundredths of its width and height.
export const placeOf = (values, place, value) => [(100 * place) / Math.max(1, values.length - 1), (100 * (1.1 - value)) / 2.2];

// The turn at a place of the curve, for a click.
export function turnAt(svg, event, count) {
  const { left, width } = svg.getBoundingClientRect();
  return Math.round((count * (event.clientX - left)) / width);
}
