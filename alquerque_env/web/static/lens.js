// A lens for a finger, which hides what it touches: the board round it, magnified, and drawn above it.

import { drawn, made } from "./elements.js";

const WIDTH = 144; // pixels
const SPACING = 48; // pixels between neighbouring points in the lens

export class Lens {
  // `drawing` is the id of what is magnified, `unit` the distance of its neighbouring points.
  constructor(host, drawing, unit) {
    this.host = host;
    this.span = (unit * WIDTH) / SPACING;
    this.glass = made("div", { className: "lens", ariaHidden: true });
    drawn("use", { href: `#${drawing}` }, drawn("svg", {}, this.glass));
  }

  // Shows what is round a place of the drawing, which a pointer is at. Without room above, the lens is beside the finger.
  show([x, y], { clientX, clientY }) {
    const { glass, span } = this;
    const aside = clientY > 1.5 * WIDTH ? 0 : clientX < innerWidth / 2 ? WIDTH : -WIDTH;
    glass.firstElementChild.setAttribute("viewBox", `${x - span / 2} ${y - span / 2} ${span} ${span}`);
    glass.style.left = `${Math.min(Math.max(clientX - WIDTH / 2 + aside, 0), innerWidth - WIDTH)}px`;
    glass.style.top = `${Math.max(clientY - 1.5 * WIDTH, 0)}px`;
    if (!glass.isConnected) this.host.append(glass);
  }

  hide() {
    this.glass.remove();
  }
}
