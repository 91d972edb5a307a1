// The maps of the runs: what they show, and how one moves in them.

import {decimal, element, nodeName, number} from "./format.js";
import {MEASURES, Palette, Scale, cyclesOf, linkUse} from "./heat.js";
import {HeatMap, Window} from "./map.js";
import {LAYERS} from "./source.js";

const ARROWS = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]};

export class Maps {
  measure = "held";
  #runs;
  #views = [];
  #palette;
  #scale = new Scale(MEASURES.held);
  #open;
  #pending = false;

  /** `open(node)`: shows the inside of a node. */
  constructor(place, runs, fars, colours, open) {
    this.#runs = runs;
    this.#palette = new Palette(colours);
    this.#open = open;
    const window = new Window();
    runs.forEach((run, index) => this.#add(place, run, fars[index], window));
    new ResizeObserver(() => this.redraw()).observe(place);
    globalThis.addEventListener("resize", () => this.redraw());
  }

  #add(place, run, far, window) {
    const name = this.#runs.length > 1 ? `${"AB"[this.#views.length]}: ` : "";
    const status = element("output", {class: "status", "aria-live": "polite"});
    const canvas = element("canvas", {
      class: "map", tabindex: 0, role: "application", "aria-roledescription": "heat map",
      "aria-label": `${name}network of ${run.nodes} nodes: arrow keys go from node to node, Enter looks into one, plus and minus zoom`,
    });
    const sums = element("span");
    const legend = element("div", {class: "legend"});
    place.append(element("figure", {}, element("figcaption", {}, element("b", {}, `${name}${run.name}`), sums), canvas, legend, status));
    const map = new HeatMap(canvas, run, far, window, this.#palette);
    const view = {run, map, canvas, sums, legend, status, said: null};
    this.#views.push(view);
    this.#listen(view);
  }

  #listen(view) {
    const {canvas, map} = view;
    let drag = null;
    canvas.addEventListener("pointerdown", (event) => {
      drag = {x: event.offsetX, y: event.offsetY, moved: 0};
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (drag) {
        const [dx, dy] = [event.offsetX - drag.x, event.offsetY - drag.y];
        drag.moved += Math.abs(dx) + Math.abs(dy);
        if (drag.moved > 4) map.pan(-dx / map.cell, -dy / map.cell);
        [drag.x, drag.y] = [event.offsetX, event.offsetY];
        this.redraw();
      } else this.#say(view, map.nodeUnder(event.offsetX, event.offsetY));
    });
    canvas.addEventListener("pointerup", (event) => {
      const node = drag && drag.moved <= 4 ? map.nodeUnder(event.offsetX, event.offsetY) : null;
      drag = null;
      if (node !== null) this.#open(node);
    });
    canvas.addEventListener("pointercancel", () => { drag = null; });
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      map.zoomAt(Math.exp(-event.deltaY / 400), event.offsetX, event.offsetY);
      this.redraw();
    }, {passive: false});
    canvas.addEventListener("keydown", (event) => this.#key(view, event));
  }

  #key(view, event) {
    const {map, canvas} = view;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const arrow = ARROWS[event.key];
    if (arrow && event.shiftKey) map.pan(arrow[0] * 4, arrow[1] * 4);
    else if (arrow) {
      const next = map.cursor === null ? map.selected ?? 0 : map.nextTo(map.cursor, arrow) ?? map.cursor;
      this.#views.forEach((it) => { it.map.cursor = next; });
      map.reveal(next);
      this.#say(view, next);
    } else if (event.key === "Enter" && map.cursor !== null) this.#open(map.cursor);
    else if (["+", "=", "-", "0"].includes(event.key)) this.zoom(event.key, canvas, map);
    else return;
    event.preventDefault();
    event.stopPropagation();
    this.redraw();
  }

  /** Zooms in, out, or so that all is seen. */
  zoom(key, canvas = this.#views[0].canvas, map = this.#views[0].map) {
    const factor = {"+": 1.5, "=": 1.5, "-": 1 / 1.5, 0: 1e-9}[key];
    map.zoomAt(factor, canvas.clientWidth / 2, canvas.clientHeight / 2);
    this.redraw();
  }

  /** The layers of frames that are needed. */
  get layers() {
    return MEASURES[this.measure].layers | (this.#views.some((view) => view.map.hasLinks) ? LAYERS.words : 0);
  }

  /** Shows something else as heat. */
  choose(measure) {
    this.measure = measure;
    this.rescale();
  }

  /** The scale begins anew. */
  rescale() {
    this.#scale = new Scale(MEASURES[this.measure]);
  }

  get frames() { return this.#views.map((view) => view.map.frame); }

  /** Shows frames. */
  show(frames) {
    frames.forEach((frame, index) => {
      const {map, run} = this.#views[index];
      map.frame = frame;
      const measure = MEASURES[this.measure];
      if (frame[{held: "held", deroutes: "deroutes", links: "words"}[this.measure]]) measure.fill(map.values, frame, run, map.links);
      this.#scale.see(map.values);
    });
    this.#draw();
  }

  select(node) {
    for (const {map} of this.#views) [map.selected, map.cursor] = [node, null];
    if (node !== null) this.#views[0].map.reveal(node);
    this.redraw();
  }

  /** Draws a packet's way over the map of its run. */
  way(run, way) {
    this.#views.forEach(({map}, index) => { map.way = index === run ? way : null; });
    this.redraw();
  }

  focus() { this.#views[0].canvas.focus(); }

  /** Draws again soon, with all that has changed meanwhile. */
  redraw() {
    if (this.#pending) return;
    this.#pending = true;
    requestAnimationFrame(() => this.#draw());
  }

  #draw() {
    this.#pending = false;
    for (const view of this.#views) {
      view.map.most = this.#scale.most;
      view.map.draw();
      if (view.map.frame) this.#describe(view);
    }
  }

  #describe(view) {
    const {frame, hasLinks} = view.map;
    const {run} = view;
    const cycles = cyclesOf(frame, run);
    view.sums.textContent = `${number(frame.heldInAll)} ${run.holds} in the network, ${number(frame.deroutesInAll)} ${frame.deroutesInAll === 1 ? "deroute" : "deroutes"}, ${decimal(frame.wordsInAll / cycles)} words over links a cycle`;
    const measure = MEASURES[this.measure];
    const text = `${measure.unit(run, this.measure === "deroutes" ? cycles : 1)}|${this.#scale.most}|${hasLinks}`;
    if (view.said !== text) {
      view.said = text;
      const scale = (name, unit, most) => {
        const bar = element("span", {class: "scale", role: "img", "aria-label": `the lighter the more, from 0 to ${decimal(most)}`});
        bar.style.background = `linear-gradient(to right, ${[0, 32, 64, 96, 128, 160, 192, 224, 255].map((at) => this.#palette.css[at]).join(",")})`;
        return element("span", {class: "of"}, name, "0", bar, `${decimal(most)} ${unit}`);
      };
      view.legend.replaceChildren(scale(hasLinks ? "nodes: " : "", text.split("|")[0], this.#scale.most),
        ...(hasLinks && this.measure !== "links" ? [scale("links: ", "word a cycle", 1)] : []));
    }
    if (view.pointed !== undefined && view.pointed !== null) this.#say(view, view.pointed);
  }

  /** Says what a node counts. */
  #say(view, node) {
    const {map, run} = view;
    view.pointed = node;
    if (node === null || !map.frame) {
      view.status.textContent = "";
      return;
    }
    const {frame} = map;
    const parts = [];
    if (frame.held) parts.push(`${number(frame.held[node])} ${run.holds} held`);
    if (frame.deroutes) parts.push(`${number(frame.deroutes[node])} deroutes`);
    if (frame.words) {
      const ports = run.ports.map((port, index) => [port, linkUse(frame, run, node, index)]).filter(([, use]) => use > 0);
      parts.push(ports.length ? `words a cycle: ${ports.map(([port, use]) => `${port} ${decimal(use)}`).join(", ")}` : "no words over its links");
    }
    view.status.textContent = `node ${nodeName(node, run)}: ${parts.join("; ")}`;
  }
}
