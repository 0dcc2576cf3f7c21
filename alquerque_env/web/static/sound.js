// The sounds of a move, made by code: wood on wood, once for a step and twice for a capture.

import { choose, chosen } from "./storage.js";

const STORED = "alquerque.sound";
const SECOND_CLICK = 0.11; // seconds after the first
const SECONDS = 0.09;
const TONES = [[820, 1, 0.016], [1530, 0.5, 0.01], [2700, 0.25, 0.006]]; // hertz, loudness, seconds to fade

export class Sound {
  // `button` switches it. Where motion is reduced it is off at first.
  constructor(button) {
    this.button = button;
    const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.turn((chosen(STORED) ?? (isStill ? "off" : "on")) === "on");
    button.addEventListener("click", () => {
      this.turn(!this.isOn);
      choose(STORED, this.isOn ? "on" : "off");
      this.click(1);
    });
  }

  turn(isOn) {
    this.isOn = isOn;
    this.button.setAttribute("aria-pressed", isOn);
  }

  // Sounds for a step.
  step({ path, captured }) {
    if (path.length > 0) this.click(captured.length > 0 ? 2 : 1);
  }

  click(count) {
    // Browsers let a page sound after a person has done something. What came before would then sound all at once.
    if (!this.isOn || !globalThis.AudioContext || navigator.userActivation?.hasBeenActive === false) return;
    this.context ??= new AudioContext();
    this.context.resume();
    this.buffer ??= knock(this.context);
    for (let number = 0; number < count; number += 1) {
      const source = new AudioBufferSourceNode(this.context, { buffer: this.buffer, playbackRate: number ? 0.86 : 1 });
      source.connect(this.context.destination);
      source.start(this.context.currentTime + number * SECOND_CLICK);
    }
  }
}

// Some tones that fade at once, and a little noise where the pieces touch.
function knock(context) {
  const rate = context.sampleRate;
  const buffer = context.createBuffer(1, Math.ceil(SECONDS * rate), rate);
  const wave = buffer.getChannelData(0);
  for (let place = 0; place < wave.length; place += 1) {
    const time = place / rate;
    const tones = TONES.map(([hertz, loudness, fade]) => loudness * Math.sin(2 * Math.PI * hertz * time) * Math.exp(-time / fade));
    const touch = (Math.random() - 0.5) * Math.exp(-time / 0.002);
    wave[place] = 0.3 * tones.reduce((sum, tone) => sum + tone, touch);
  }
  return buffer;
}
