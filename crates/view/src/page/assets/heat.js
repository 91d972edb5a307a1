// What is shown as heat: what a node's colour means, and its scale.

import {decimal} from "./format.js";
import {LAYERS} from "./source.js";

/** The cycles of a frame's stretch. */
export function cyclesOf(frame, run) {
  return Math.max(1, (frame.to - frame.from) / run.cycle_time);
}

/** The words that left over a link, a cycle. */
export function linkUse(frame, run, node, port) {
  return frame.words ? frame.words[node * frame.ports + port] / cyclesOf(frame, run) : 0;
}

/** What there is to show. Each knows its layers, its unit over a stretch of cycles, and the least that its scale ends at. */
export const MEASURES = {
  held: {
    layers: LAYERS.held,
    name: (run) => `${run.holds} held`,
    unit: (run) => `${run.holds} in a node`,
    fill(values, frame) { values.set(frame.held); },
    least: 2,
  },
  deroutes: {
    layers: LAYERS.deroutes,
    name: () => "deroutes",
    unit: (run, cycles) => `deroutes of a node in ${decimal(cycles)} ${cycles === 1 ? "cycle" : "cycles"}`,
    fill(values, frame) { values.set(frame.deroutes); },
    least: 2,
  },
  links: {
    layers: LAYERS.words,
    name: () => "use of links",
    unit: () => "words a cycle, mean of a node's links",
    fill(values, frame, run, links) {
      const cycles = cyclesOf(frame, run);
      for (let node = 0; node < values.length; node++) {
        let sum = 0;
        for (let port = 0; port < frame.ports; port++) sum += frame.words[node * frame.ports + port];
        values[node] = sum / (cycles * Math.max(1, links[node]));
      }
    },
    full: 1,
  },
};

/** The scale of a measure: it grows with what is seen, so that colours keep their meaning from frame to frame. */
export class Scale {
  #most = 0;

  constructor(measure) { this.measure = measure; }

  see(values) {
    if (this.measure.full) return;
    let most = this.#most;
    for (const value of values) if (value > most) most = value;
    this.#most = most;
  }

  get most() {
    return this.measure.full ?? Math.max(this.measure.least, this.#most);
  }
}

/** The colours of a scale, as the canvas takes them. */
export class Palette {
  constructor(colours) {
    this.css = colours;
    this.pixels = new Uint32Array(colours.map((colour) => {
      const rgb = parseInt(colour.slice(1), 16);
      return (255 << 24 | (rgb & 255) << 16 | (rgb >> 8 & 255) << 8 | rgb >> 16) >>> 0;
    }));
  }

  /** The place of a share of the most in the scale. */
  place(share) {
    return Math.max(0, Math.min(this.css.length - 1, Math.round(share * (this.css.length - 1))));
  }
}
