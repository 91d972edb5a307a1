// The network as a heat map on a canvas.

import {linkUse} from "./heat.js";
import {layout, nodeAt} from "./layout.js";

/** Pixels of a cell from which on links are drawn. */
const ROOM_FOR_LINKS = 15;
/** Where a port leads on a plane. */
const DIRECTIONS = {north: [0, -1], east: [1, 0], south: [0, 1], west: [-1, 0]};
/** How far apart the two directions of a link are drawn, in cells. */
const LANE = 0.13;
/** The part of a cell that a node takes where links are drawn. */
const BODY = 0.56;
/** Colours by which links are drawn: fewer, since each takes a path of its own. */
const LINK_COLOURS = 32;

/** The part of the map that is seen; two maps share one. */
export class Window {
  zoom = 1;
  centre = null;
}

export class HeatMap {
  #canvas;
  #context;
  #image;
  #small;
  #run;
  #far;
  #window;
  #palette;
  #at;
  #colours = [];

  constructor(canvas, run, far, window, palette) {
    this.#canvas = canvas;
    this.#context = canvas.getContext("2d", {alpha: false});
    this.#run = run;
    this.#far = far;
    this.#window = window;
    this.#palette = palette;
    this.#at = layout(run);
    window.centre ??= [this.#at.columns / 2, this.#at.rows / 2];
    const small = document.createElement("canvas");
    [small.width, small.height] = [this.#at.columns, this.#at.rows];
    this.#small = small.getContext("2d");
    this.#image = new ImageData(this.#at.columns, this.#at.rows);
    this.values = new Float32Array(run.nodes);
    this.links = new Uint8Array(run.nodes);
    const ports = run.ports.length;
    for (let node = 0; node < run.nodes; node++) {
      for (let port = 0; port < ports; port++) if (far[node * ports + port] < run.nodes) this.links[node]++;
    }
    this.frame = null;
    this.most = 1;
    this.cursor = null;
    this.selected = null;
    this.way = null;
  }

  /** Pixels of a cell at which all of the map is seen. */
  get #fit() {
    const {clientWidth, clientHeight} = this.#canvas;
    return Math.max(0.1, Math.min(clientWidth / (this.#at.columns + 0.5), clientHeight / (this.#at.rows + 0.5)));
  }

  /** Pixels of a cell. */
  get cell() { return this.#fit * this.#window.zoom; }

  /** Whether links are drawn. */
  get hasLinks() { return this.cell >= ROOM_FOR_LINKS; }

  /** The rows and columns of the map, in cells. */
  get size() { return [this.#at.columns, this.#at.rows]; }

  #toPixels(column, row) {
    const [x, y] = this.#window.centre;
    const {clientWidth, clientHeight} = this.#canvas;
    return [clientWidth / 2 + (column - x) * this.cell, clientHeight / 2 + (row - y) * this.cell];
  }

  #toCells(x, y) {
    const {clientWidth, clientHeight} = this.#canvas;
    return [this.#window.centre[0] + (x - clientWidth / 2) / this.cell, this.#window.centre[1] + (y - clientHeight / 2) / this.cell];
  }

  /** The node under a place on the canvas; null where none is. */
  nodeUnder(x, y) {
    return nodeAt(this.#at, ...this.#toCells(x, y), this.#run.nodes);
  }

  /** The next node in a direction. */
  nextTo(node, [right, down]) {
    return nodeAt(this.#at, this.#at.x[node] + right + 0.5, this.#at.y[node] + down + 0.5, this.#run.nodes);
  }

  /** Zooms by a factor, around a place on the canvas. */
  zoomAt(factor, x, y) {
    const before = this.#toCells(x, y);
    this.#window.zoom = Math.max(1, Math.min(this.#window.zoom * factor, 120 / this.#fit));
    const after = this.#toCells(x, y);
    this.pan(before[0] - after[0], before[1] - after[1]);
  }

  /** Moves the window by cells, as far as the map goes. */
  pan(columns, rows) {
    const {clientWidth, clientHeight} = this.#canvas;
    const into = (value, most, seen) => (seen >= most ? most / 2 : Math.max(seen / 2, Math.min(most - seen / 2, value)));
    const [x, y] = this.#window.centre;
    this.#window.centre = [
      into(x + columns, this.#at.columns, clientWidth / this.cell),
      into(y + rows, this.#at.rows, clientHeight / this.cell),
    ];
  }

  /** Moves the window so that a node is seen. */
  reveal(node) {
    const [x, y] = this.#toPixels(this.#at.x[node] + 0.5, this.#at.y[node] + 0.5);
    const {clientWidth, clientHeight} = this.#canvas;
    if (x < 0 || y < 0 || x > clientWidth || y > clientHeight) {
      this.#window.centre = [this.#at.x[node] + 0.5, this.#at.y[node] + 0.5];
      this.pan(0, 0);
    }
  }

  draw() {
    const canvas = this.#canvas;
    const ratio = globalThis.devicePixelRatio || 1;
    const [width, height] = [Math.round(canvas.clientWidth * ratio), Math.round(canvas.clientHeight * ratio)];
    if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
    const style = getComputedStyle(canvas);
    this.#colours = [style.getPropertyValue("--map").trim(), style.getPropertyValue("--idle").trim()];
    const context = this.#context;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = this.#colours[0];
    context.fillRect(0, 0, canvas.clientWidth, canvas.clientHeight);
    if (!this.frame) return;
    if (this.hasLinks) {
      this.#drawLinks();
      this.#drawNodes();
    } else this.#drawCells();
    if (this.way) this.#drawWay();
    if (this.cursor !== null) this.#outline(this.cursor, true);
    if (this.selected !== null) this.#outline(this.selected, false);
  }

  #place(node) {
    return this.#palette.place(this.values[node] / this.most);
  }

  /** All cells as one picture. */
  #drawCells() {
    const pixels = new Uint32Array(this.#image.data.buffer);
    const {x, y, columns} = this.#at;
    for (let node = 0; node < this.#run.nodes; node++) pixels[y[node] * columns + x[node]] = this.#palette.pixels[this.#place(node)];
    this.#small.putImageData(this.#image, 0, 0);
    const [left, top] = this.#toPixels(0, 0);
    this.#context.imageSmoothingEnabled = false;
    this.#context.drawImage(this.#small.canvas, left, top, this.#at.columns * this.cell, this.#at.rows * this.cell);
  }

  /** The nodes that are seen. */
  *#seen() {
    const {clientWidth, clientHeight} = this.#canvas;
    for (let node = 0; node < this.#run.nodes; node++) {
      const [x, y] = this.#toPixels(this.#at.x[node], this.#at.y[node]);
      if (x > -this.cell && y > -this.cell && x < clientWidth && y < clientHeight) yield [node, x, y];
    }
  }

  #drawNodes() {
    const context = this.#context;
    const body = this.cell * BODY;
    const inset = (this.cell - body) / 2;
    for (const [node, x, y] of this.#seen()) {
      context.fillStyle = this.#palette.css[this.#place(node)];
      context.fillRect(x + inset, y + inset, body, body);
    }
    if (this.cell < 34) return;
    context.font = `${Math.min(13, this.cell / 4)}px system-ui, sans-serif`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    for (const [node, x, y] of this.#seen()) {
      context.fillStyle = this.#place(node) > 140 ? "#10131a" : "#f4f6fb";
      context.fillText(node, x + this.cell / 2, y + this.cell / 2);
    }
  }

  /** Each direction of a link as a line beside the other one; what leads elsewhere as a stub. */
  #drawLinks() {
    const paths = Array.from({length: LINK_COLOURS}, () => new Path2D());
    const ports = this.#run.ports;
    const middle = this.cell / 2;
    for (const [node, x, y] of this.#seen()) {
      for (let port = 0; port < ports.length; port++) {
        const far = this.#far[node * ports.length + port];
        if (far >= this.#run.nodes) continue;
        const line = this.#line(node, far, ports[port]);
        if (!line) continue;
        const share = Math.min(1, linkUse(this.frame, this.#run, node, port));
        const path = share > 0 ? paths[Math.max(1, Math.round(share * (LINK_COLOURS - 1)))] : paths[0];
        path.moveTo(x + middle + line[0] * this.cell, y + middle + line[1] * this.cell);
        path.lineTo(x + middle + line[2] * this.cell, y + middle + line[3] * this.cell);
      }
    }
    this.#context.lineCap = "butt";
    paths.forEach((path, index) => {
      // What nothing crosses is hardly there.
      this.#context.lineWidth = index === 0 ? 1 : Math.max(1.5, this.cell * 0.11);
      this.#context.strokeStyle = index === 0 ? this.#colours[1] : this.#palette.css[this.#palette.place(index / (LINK_COLOURS - 1))];
      this.#context.stroke(path);
    });
  }

  /** From where to where a link is drawn, in cells from its node's middle. */
  #line(node, far, port) {
    const [right, down] = [this.#at.x[far] - this.#at.x[node], this.#at.y[far] - this.#at.y[node]];
    const [begin, end] = [BODY / 2, 1 - BODY / 2];
    const direction = Math.abs(right) + Math.abs(down) === 1 ? [right, down] : DIRECTIONS[port];
    if (direction) {
      const [dx, dy] = direction;
      // To the right of where it leads, as on a road.
      const [sideX, sideY] = [-dy * LANE, dx * LANE];
      const to = Math.abs(right) + Math.abs(down) === 1 ? end : 0.5;
      return [dx * begin + sideX, dy * begin + sideY, dx * to + sideX, dy * to + sideY];
    }
    // Anywhere else: straight, where there are few.
    return this.#run.nodes <= 256 && !this.#run.sides ? [0, 0, right / 2, down / 2] : null;
  }

  #outline(node, isCursor) {
    const [x, y] = this.#toPixels(this.#at.x[node], this.#at.y[node]);
    const context = this.#context;
    const side = Math.max(this.cell, 7);
    const inset = (this.cell - side) / 2;
    const rectangle = [x + inset, y + inset, side, side];
    context.setLineDash(isCursor ? [4, 3] : []);
    context.lineWidth = 4;
    context.strokeStyle = "#000";
    context.strokeRect(...rectangle);
    context.lineWidth = 2;
    context.strokeStyle = "#fff";
    context.strokeRect(...rectangle);
    context.setLineDash([]);
  }

  /** A packet's way: its hops as arrows, deroutes dashed, and where it is now. */
  #drawWay() {
    const centre = (node) => this.#toPixels(this.#at.x[node] + 0.5, this.#at.y[node] + 0.5);
    const context = this.#context;
    const [plain, derouted] = [new Path2D(), new Path2D()];
    for (const hop of this.way.hops) {
      const path = hop.deroute ? derouted : plain;
      const [from, to] = [centre(hop.node), centre(hop.to)];
      const far = Math.hypot(this.#at.x[hop.to] - this.#at.x[hop.node], this.#at.y[hop.to] - this.#at.y[hop.node]) > 1.5;
      const direction = DIRECTIONS[hop.port];
      if (far && direction) {
        const [dx, dy] = direction.map((it) => it * this.cell * 0.7);
        this.#arrow(path, from, [from[0] + dx, from[1] + dy]);
        this.#arrow(path, [to[0] - dx, to[1] - dy], to);
      } else this.#arrow(path, from, to);
    }
    const width = Math.max(2, Math.min(5, this.cell * 0.12));
    context.lineJoin = context.lineCap = "round";
    for (const [path, dash, colour] of [[plain, [], "#fff"], [derouted, [2 * width, 2 * width], "#ff9d76"]]) {
      context.setLineDash([]);
      context.lineWidth = width + 3;
      context.strokeStyle = "#000c";
      context.stroke(path);
      context.setLineDash(dash);
      context.lineWidth = width;
      context.strokeStyle = colour;
      context.stroke(path);
    }
    context.setLineDash([]);
    const mark = (node, radius, fill) => {
      context.beginPath();
      context.arc(...centre(node), radius, 0, 2 * Math.PI);
      context.fillStyle = fill;
      context.fill();
      context.lineWidth = 2;
      context.strokeStyle = "#000";
      context.stroke();
    };
    mark(this.way.source, width + 2, "#fff");
    mark(this.way.destination, width + 2, "#000");
    mark(this.way.destination, width, "#fff");
    if (this.way.here !== null) mark(this.way.here, width + 4, "#ff9d76");
  }

  #arrow(path, from, to) {
    const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
    const length = Math.hypot(dx, dy);
    path.moveTo(...from);
    path.lineTo(...to);
    if (length < 14) return;
    const [x, y] = [from[0] + dx * 0.6, from[1] + dy * 0.6];
    const head = Math.min(7, length * 0.2) / length;
    path.moveTo(x - (dx + dy) * head, y - (dy - dx) * head);
    path.lineTo(x, y);
    path.lineTo(x - (dx - dy) * head, y - (dy + dx) * head);
  }
}
