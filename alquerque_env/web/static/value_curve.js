// A curve of values over a match, for South: +1 on top.

const SVG = "http://www.w3.org/2000/svg";

// `values` has the value at the end of each turn, undefined or null where it is unknown; `now` is the place shown.
export function valueCurve(values, now) {
  const [width, height] = [Math.max(1, values.length - 1), 2];
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", `0 -1.1 ${width} ${height + 0.2}`);
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", `Value over ${values.length - 1} turns`);
  const places = values.map((value, x) => (value === undefined || value === null ? null : `${x} ${-value}`)).filter(Boolean);
  const paths = [
    ["zero", `M0 0H${width}`],
    ["now", `M${now} -1.1V1.1`],
    ["values", places.length ? `M${places.join("L")}` : ""],
  ];
  for (const [kind, d] of paths) {
    const path = document.createElementNS(SVG, "path");
    path.setAttribute("class", kind);
    path.setAttribute("d", d);
    path.setAttribute("vector-effect", "non-scaling-stroke");
    svg.append(path);
  }
  return svg;
}

// Where a value stands in the curve, in hundredths of its width and height.
export const placeOf = (values, place, value) => [(100 * place) / Math.max(1, values.length - 1), (100 * (1.1 - value)) / 2.2];

// The turn at a place of the curve, for a click.
export function turnAt(svg, event, count) {
  const { left, width } = svg.getBoundingClientRect();
  return Math.round((count * (event.clientX - left)) / width);
}
