// Draws the pieces on the board's picture, which `page_view.py` provides.
// Turns clicks, drags, touches and keys into legal steps.

import { SVG, drawn, pictureAddress } from "./elements.js";
import { Lens } from "./lens.js";
import { sleep } from "./tasks.js";

const LEAP_MS = 320;
const DRAG_AFTER = 5;
// Neighbouring points are no fewer pixels apart if the window is wide enough, so that fingers hit them.
const LEAST_UNIT = 28;
const NEAR = 30; // pixels, below which a finger sees the points through a lens
const REST_MS = 150;
// A board that is longer than this, seen from South, stands upright on a phone held upright.
const LONG = 1.6;
export const NARROW = matchMedia("(orientation: portrait) and (max-width: 40rem)");
const ARROWS = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };

// A mark above its rim, which is seen where the mark itself is not: on the board or on pieces of either side.
function rimmed(name, attributes, kind, parent) {
  for (const rim of [" rim", ""]) drawn(name, { ...attributes, class: kind + rim }, parent);
}

// The labels of the points by rows, from the top, each from the left.
function rowsOf({ points, unit }) {
  const sorted = Object.keys(points).sort((one, other) => points[one][1] - points[other][1]);
  const rows = [];
  for (const label of sorted) {
    const isNew = rows.length === 0 || points[label][1] - points[rows.at(-1)[0]][1] > unit / 4;
    if (isNew) rows.push([]);
    rows.at(-1).push(label);
  }
  return rows.map((row) => row.sort((one, other) => points[one][0] - points[other][0]));
}

export const keyOf = ([player, promoted]) => `${player}${promoted ? "K" : ""}`;

// A man of a player as a picture for style sheets. Its ids are its own, unlike those of what stands in the page.
function pictureOf({ pieces, radius }, player) {
  const svg = `<svg xmlns="${SVG}" viewBox="${[-radius, -radius, 2 * radius, 2 * radius]}">${pieces[player]}</svg>`;
  return `url("${pictureAddress(svg)}")`;
}

// The point whose click means a step of the selected piece, or a drop or removal: a removal has no target.
const goalOf = ({ target, captured }) => target ?? captured[0];

// Whether a key was used last, not a pointer: the focus is drawn then.
let isKeyed = false;
for (const type of ["keydown", "pointerdown"]) addEventListener(type, () => (isKeyed = type === "keydown"), true);

// Whether the arrow keys walk on the board. After a pointer they step through the match, until a key that only those use
// who have none: Tab, or Enter and Space on a point.
let isWalking = true;
addEventListener("pointerdown", () => (isWalking = false), true);
addEventListener("keydown", ({ key, target }) => {
  if (key === "Tab" || (["Enter", " "].includes(key) && target.closest?.(".spot"))) isWalking = true;
}, true);
export const walksOnBoard = () => isWalking;

const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

export class Board {
  // `onStep` is called with a legal step; `onSelect` after a piece was chosen or put back; `onChoice` with steps that
  // differ in the captured piece, or with none after the choice; `onRefusal` with a point whose piece cannot move, or
  // with two points between which it cannot move. `isWalked` says whether the arrow keys go from point to point.
  constructor(host, { onStep, onSelect, onChoice, onRefusal, isWalked = () => true }) {
    Object.assign(this, { host, onStep, onSelect, onChoice, onRefusal, isWalked });
    this.legal = [];
    this.selected = null;
    this.refused = null; // the point of a piece that cannot move
    this.choice = [];
    this.current = null;
    this.drag = null;
    this.placed = null; // a step whose piece was dropped on its target already
    addEventListener("blur", () => this.endDrag());
    addEventListener("keydown", (event) => event.key === "Escape" && this.view && this.cancel());
  }

  lay(parts, turned) {
    this.endDrag();
    const [length, breadth] = parts.size;
    this.turned = turned;
    this.isUpright = NARROW.matches && length / breadth > LONG;
    const size = this.isUpright ? [breadth, length] : parts.size;
    const points = Object.entries(parts.points).map(([label, place]) => [label, this.standUp(place, breadth)]);
    const focused = this.host.contains(document.activeElement) && this.current;
    this.parts = parts = { ...parts, size, points: Object.fromEntries(points) };
    const [width, height] = size;
    this.host.replaceChildren();
    this.svg = drawn("svg", { viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": parts.title }, this.host);
    this.host.style.setProperty("--ratio", width / height);
    this.host.style.setProperty("--least", `${(LEAST_UNIT * width) / parts.unit}px`);
    const drawing = drawn("g", { id: `${this.host.id}-drawing`, "aria-hidden": "true" }, this.svg);
    const ground = drawn("g", { class: "ground" }, drawing);
    if (this.isUpright) ground.setAttribute("transform", `translate(${width} 0) rotate(90)`);
    ground.classList.toggle("upright", this.isUpright);
    ground.innerHTML = parts.background;
    for (const player of [0, 1]) this.host.closest("main").style.setProperty(`--side-${player}`, pictureOf(parts, player));
    for (const layer of ["travel", "marks", "targets", "pieces", "arrows"]) this[layer] = drawn("g", { class: layer }, drawing);
    this.points = drawn("g", { class: "points" }, this.svg);
    this.lens = new Lens(this.host, drawing.id, parts.unit);
    this.hits = new Map();
    for (const [label, place] of Object.entries(parts.points)) {
      const hit = drawn("circle", { ...this.circle(place, 0.49), class: "spot", "data-at": label, role: "button" }, this.points);
      this.hits.set(label, hit);
    }
    this.rows = rowsOf(parts);
    this.current = Object.keys(parts.points)[0];
    if (this.hits.has(focused)) this.focus(focused);
    this.svg.addEventListener("pointerdown", (event) => this.press(event));
    this.svg.addEventListener("pointermove", (event) => this.move(event));
    this.svg.addEventListener("pointerup", (event) => this.release(event));
    this.svg.addEventListener("lostpointercapture", (event) => event.pointerId === this.drag?.id && this.endDrag());
    // A finger that moves the lens does not scroll the page.
    this.svg.addEventListener("touchmove", (event) => this.drag?.isMagnified && event.cancelable && event.preventDefault(), { passive: false });
    this.points.addEventListener("keydown", (event) => this.key(event));
    // A screen reader clicks without a pointer.
    this.points.addEventListener("click", (event) => event.detail === 0 && !event.pointerType && this.pick(event.target.dataset.at));
  }

  // Shows a position; `mayMove` is whether a person is to move.
  show(view, mayMove) {
    this.endDrag();
    this.view = view;
    this.legal = mayMove ? view.legal.filter((step) => step.path.length > 0) : [];
    this.selected = mayMove && view.chain ? view.chain : null;
    this.refused = null;
    this.choice = [];
    this.pieces.replaceChildren();
    this.arrows.replaceChildren();
    for (const label of view.closed) drawn("circle", { ...this.circle(this.parts.points[label], 0.4), class: "closed" }, this.pieces);
    for (const [label, piece] of Object.entries(view.pieces)) this.put(label, piece);
    for (const label of view.pending) this.cross(this.pieces, label, "pending");
    this.drawTravel();
    this.mark();
  }

  // The attributes of a circle round a place, with its radius in distances of neighbouring points.
  circle([cx, cy], radius) {
    return { cx, cy, r: radius * this.parts.unit };
  }

  put(label, what) {
    const [x, y] = this.parts.points[label];
    const piece = drawn("g", { class: "piece", "data-at": label, transform: `translate(${x} ${y})` }, this.pieces);
    piece.innerHTML = this.parts.pieces[keyOf(what)];
    return piece;
  }

  cross(layer, label, kind) {
    const [x, y] = this.parts.points[label];
    const arm = 0.17 * this.parts.unit;
    const d = `M${x - arm} ${y - arm}L${x + arm} ${y + arm}M${x - arm} ${y + arm}L${x + arm} ${y - arm}`;
    rimmed("path", { d }, `cross ${kind}`, layer);
  }

  // A place of the board as it lies, a quarter turn to the right where it stands upright.
  standUp([x, y], breadth) {
    return this.isUpright ? [breadth - y, x] : [x, y];
  }

  // The server sends places for the board as South sees it.
  turn([x, y]) {
    const [length, breadth] = this.isUpright ? this.parts.size.toReversed() : this.parts.size;
    return this.standUp(this.turned ? [length - x, breadth - y] : [x, y], breadth);
  }

  placesOf(path) {
    return path.map((place) => this.turn(place));
  }

  drawTravel() {
    this.travel.replaceChildren();
    for (const drawn of this.pieces.querySelectorAll(".gone")) drawn.remove();
    for (const path of this.view.last_paths) {
      const places = this.placesOf(path);
      const occupied = this.nearest(places[0]) in this.view.pieces;
      if (places.length > 1) this.line(this.travel, places, "shaft", 0.42);
      rimmed("circle", this.circle(places[0], occupied ? 0.47 : 0.2), "origin-ring", this.travel);
    }
    for (const label of this.view.captured) this.cross(this.pieces, label, "gone");
  }

  // A polyline that ends in an arrow head, `short` of its last place.
  line(layer, places, kind, short) {
    const unit = this.parts.unit;
    const [a, b] = places.slice(-2);
    const length = Math.hypot(b[0] - a[0], b[1] - a[1]) || 1;
    const u = [(b[0] - a[0]) / length, (b[1] - a[1]) / length];
    const tip = [b[0] - u[0] * short * unit, b[1] - u[1] * short * unit];
    const neck = [tip[0] - u[0] * 0.22 * unit, tip[1] - u[1] * 0.22 * unit];
    const body = [...places.slice(0, -1), neck];
    const side = 0.15 * unit;
    const head = [tip, [neck[0] - u[1] * side, neck[1] + u[0] * side], [neck[0] + u[1] * side, neck[1] - u[0] * side]];
    const d = `M${body.join("L")}`;
    drawn("path", { d, class: `${kind} rim` }, layer);
    drawn("path", { d: `M${head.join("L")}Z`, class: "head" }, layer);
    drawn("path", { d, class: kind }, layer);
  }

  mark() {
    const offered = this.legal.filter((step) => step.origin === this.selected);
    const isChoice = this.choice.length > 0;
    const origins = new Set(this.legal.map((step) => step.origin).filter(Boolean));
    const targets = new Set(isChoice ? [] : offered.map((step) => step.target).filter(Boolean));
    const victims = new Set((isChoice ? this.choice : offered.filter((step) => !step.target)).flatMap((step) => step.captured));
    const stopped = this.selected ?? this.refused;
    const isForbidden = ([origin, target]) => origin === stopped && !(target in this.view.pieces);
    const forbidden = new Set(this.view.forbidden.filter(isForbidden).map(([, target]) => target));
    this.marks.replaceChildren();
    this.targets.replaceChildren();
    for (const label of forbidden) this.cross(this.marks, label, "forbidden");
    const ring = (label, kind, radius) => rimmed("circle", this.circle(this.parts.points[label], radius), kind, this.marks);
    if (this.view.chain) ring(this.view.chain, "chain", 0.47);
    for (const label of origins) if (label !== this.selected) ring(label, "origin", 0.42);
    if (this.selected && this.selected !== this.view.chain) ring(this.selected, "selected", 0.47);
    for (const label of victims) ring(label, "victim", 0.45);
    for (const label of targets) {
      drawn("circle", { ...this.circle(this.parts.points[label], 0.14), class: "target", "data-at": label }, this.targets);
    }
    for (const [label, hit] of this.hits) {
      const piece = this.view.pieces[label];
      const vacant = this.view.closed.includes(label) ? "closed" : "empty";
      const what = piece ? this.parts.names[keyOf(piece)] : vacant;
      const notes = [
        origins.has(label) && "can move",
        targets.has(label) && "legal target",
        victims.has(label) && "can be captured",
        forbidden.has(label) && `no way ${this.view.forbidden_way}`,
        label === this.selected && "selected",
        label === this.view.chain && "in a chain",
        this.view.pending.includes(label) && "captured, still on the board",
      ];
      hit.setAttribute("aria-label", [label, what, ...notes.filter(Boolean)].join(", "));
      hit.setAttribute("tabindex", label === this.current ? 0 : -1);
      hit.classList.toggle("free", origins.has(label) || targets.has(label) || victims.has(label));
      hit.classList.toggle("movable", origins.has(label));
    }
  }

  // Handles a click on a point: a piece to move, a target, a point to drop a piece on, or the piece to capture.
  pick(label) {
    if (!label) return;
    this.current = label;
    const chosen = this.choice.filter(({ captured, target }) => captured.includes(label) || (captured.length === 0 && target === label));
    if (chosen.length === 1) return this.onStep(chosen[0]);
    this.offer([]);
    const meant = this.legal.filter((step) => step.origin === this.selected && goalOf(step) === label);
    if (meant.length === 1) return this.onStep(meant[0]);
    const movable = this.legal.some((step) => step.origin === label);
    const before = this.selected;
    if (meant.length > 1) this.offer(meant);
    else if (this.view.chain) this.selected = this.legal.length > 0 ? this.view.chain : null;
    else this.selected = movable && label !== this.selected ? label : null;
    const isRefused = meant.length === 0 && !movable;
    this.refused = isRefused ? label : null;
    this.mark();
    if (meant.length > 0) return;
    if (!isRefused) this.onSelect();
    else if (before === null || label in this.view.pieces) this.onRefusal(label);
    else this.onRefusal(before, label);
  }

  // Offers steps that differ in the captured piece; a click on that piece chooses.
  offer(steps) {
    if (steps.length === 0 && this.choice.length === 0) return;
    this.choice = steps;
    this.onChoice(steps);
  }

  // Lets go of a piece, or of the choice of a captured one.
  cancel() {
    const isPiece = this.selected !== null && this.choice.length === 0 && !this.view.chain;
    this.endDrag();
    this.offer([]);
    if (isPiece) this.selected = null;
    this.mark();
    if (isPiece) this.onSelect();
  }

  press(event) {
    const isNear = event.pointerType === "touch" && this.svg.clientWidth * this.parts.unit < NEAR * this.parts.size[0];
    const label = event.target.dataset?.at ?? (isNear && this.nearest(this.place(event)));
    if (!label || (event.button ?? 0) !== 0 || this.drag?.moved) return;
    this.points.setPointerCapture(event.pointerId);
    const movable = this.legal.some((step) => step.origin === label);
    this.drag = { id: event.pointerId, label, x: event.clientX, y: event.clientY, movable, moved: false, isNear };
    if (isNear) this.drag.rest = setTimeout(() => this.magnify(event), REST_MS);
  }

  magnify(event) {
    this.drag.isMagnified = true;
    this.lens.show(this.place(event), event);
  }

  move(event) {
    const drag = this.drag;
    if (!drag || drag.id !== event.pointerId) return;
    if (drag.isMagnified || (drag.isNear && drag.moved)) this.magnify(event);
    if (!drag.movable) return;
    if (event.buttons !== 1) return this.endDrag(); // another button, or a release outside the window
    if (!drag.moved) {
      if (Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < DRAG_AFTER) return;
      drag.moved = true;
      this.offer([]);
      this.selected = drag.label;
      this.onSelect();
      this.mark();
      drag.piece = this.pieces.querySelector(`.piece[data-at="${drag.label}"]`);
      drag.ghost = drag.piece?.cloneNode(true);
      drag.ghost?.classList.add("ghost");
      if (drag.piece) this.pieces.append(drag.ghost, drag.piece);
    }
    const [x, y] = this.place(event);
    const near = this.nearest([x, y]);
    drag.piece?.setAttribute("transform", `translate(${x} ${y})`);
    for (const target of this.targets.children) target.classList.toggle("aimed", target.dataset.at === near);
  }

  release(event) {
    const drag = this.drag;
    if (!drag || drag.id !== event.pointerId) return;
    const near = this.nearest(this.place(event));
    if (!drag.moved) {
      const label = drag.isMagnified ? near : drag.label;
      this.endDrag();
      if (label) this.focus(label);
      this.pick(label);
      return;
    }
    const meant = this.legal.filter((step) => step.origin === drag.label && step.target === near);
    this.endDrag(meant.length === 1 ? meant[0] : null);
    if (!near || near === drag.label) return;
    this.offer([]);
    this.selected = drag.label; // keys may have chosen another
    if (meant.length > 0) this.pick(near);
    else this.onRefusal(drag.label, near);
  }

  // Ends a drag, whatever ends it: the piece moves back, or stays on the target of the step that it was dropped for.
  endDrag(step = null) {
    const { drag } = this;
    this.drag = null;
    this.placed = step;
    clearTimeout(drag?.rest);
    this.lens?.hide();
    if (!drag?.piece) return;
    drag.ghost.remove();
    for (const target of this.targets.children) target.classList.remove("aimed");
    drag.piece.setAttribute("transform", `translate(${this.parts.points[step?.target ?? drag.label].join(" ")})`);
  }

  place(event) {
    const box = this.svg.getBoundingClientRect();
    const scale = this.parts.size[0] / box.width;
    return [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
  }

  nearest([x, y]) {
    const near = Object.entries(this.parts.points).map(([label, [px, py]]) => [Math.hypot(px - x, py - y), label]);
    const [distance, label] = near.reduce((one, other) => (other[0] < one[0] ? other : one));
    return distance < 0.6 * this.parts.unit ? label : null;
  }

  key(event) {
    const at = event.target.dataset?.at;
    if (!at) return;
    if (event.key in ARROWS && this.isWalked()) {
      this.focus(this.neighbour(at, ...ARROWS[event.key]));
    } else if (event.key === "Enter" || event.key === " ") {
      this.pick(at);
      if (this.choice.length === 0) this.focus(at);
    } else {
      return;
    }
    event.preventDefault();
  }

  // The next point in the row, or the nearest in the next row, so that the keys reach every point on every board.
  neighbour(from, dx, dy) {
    const [x] = this.parts.points[from];
    const row = this.rows.findIndex((labels) => labels.includes(from));
    if (dx !== 0) return this.rows[row][this.rows[row].indexOf(from) + dx] ?? from;
    const aside = (label) => Math.abs(this.parts.points[label][0] - x);
    const next = this.rows[row + dy] ?? [from];
    return next.reduce((best, label) => (aside(label) < aside(best) ? label : best));
  }

  focus(label) {
    this.hits.get(this.current)?.setAttribute("tabindex", -1);
    this.current = label;
    const hit = this.hits.get(label);
    hit.setAttribute("tabindex", 0);
    hit.focus({ preventScroll: true, focusVisible: isKeyed });
  }

  // Moves a piece or fades it in, and fades out the captured ones.
  async animate(step, brisk) {
    this.arrows.replaceChildren();
    this.marks.replaceChildren();
    this.targets.replaceChildren();
    if (step.path.length === 0 || still()) return;
    const isDrop = step.origin === null && step.target !== null;
    const piece = isDrop ? this.put(step.target, [this.view.player, false]) : this.pieces.querySelector(`.piece[data-at="${step.origin}"]`);
    const isThere = this.placed === step;
    this.endDrag();
    const moved = this.placesOf(step.path).map(([x, y]) => ({ transform: `translate(${x}px, ${y}px)` }));
    const frames = isDrop ? [{ opacity: 0 }, { opacity: 1 }] : moved;
    piece?.parentNode.append(piece);
    const timing = { duration: brisk ? LEAP_MS / 2 : LEAP_MS, easing: "ease-in-out", fill: "forwards" };
    const running = piece && !isThere ? [piece.animate(frames, timing)] : [];
    for (const label of step.captured) {
      const victim = this.pieces.querySelector(`.piece[data-at="${label}"]`);
      if (victim) running.push(victim.animate([{ opacity: 1 }, { opacity: 1 }, { opacity: 0.15 }], timing));
    }
    // A page in the background does not animate, so its animations never finish.
    await Promise.race([Promise.allSettled(running.map((animation) => animation.finished)), sleep(2 * LEAP_MS)]);
  }

  // Draws an arrow for the paths of a turn, instead of that of the last turn. A drop or a removal has a ring.
  point(paths) {
    this.arrows.replaceChildren();
    if (paths.length > 0) this.travel.replaceChildren();
    else this.drawTravel();
    for (const places of paths.map((path) => this.placesOf(path))) {
      if (places.length > 1) this.line(this.arrows, places, "shaft", 0.16);
      else rimmed("circle", this.circle(places[0], 0.47), "shaft", this.arrows);
    }
  }
}
