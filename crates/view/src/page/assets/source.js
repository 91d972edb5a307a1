// Where a run comes from: the program that serves this page, or the data of an exported folder.

/** A frame of which only some layers are known. */
function decode(buffer) {
  const view = new DataView(buffer);
  const [layers, ended, ports, nodes] = [view.getUint8(0), view.getUint8(1) === 1, view.getUint16(2, true), view.getUint32(4, true)];
  const long = (at) => Number(view.getBigUint64(at, true));
  const frame = {ended, ports, nodes, from: long(8), to: long(16), heldInAll: long(24), deroutesInAll: long(32), wordsInAll: long(40)};
  let at = 48;
  for (const [bit, name, size] of [[1, "held", nodes], [2, "deroutes", nodes], [4, "words", nodes * ports]]) {
    if (layers & bit) {
      frame[name] = new Uint16Array(buffer, at, size);
      at += 2 * size;
    }
  }
  return frame;
}

/** The layers of a frame. */
export const LAYERS = {held: 1, deroutes: 2, words: 4};

/** The program. */
class Program {
  isWhole = true;

  async #get(path, of, signal) {
    const query = new URLSearchParams(of).toString();
    let response;
    try {
      response = await fetch(query ? `${path}?${query}` : path, {signal});
    } catch (error) {
      throw error.name === "AbortError" ? error : new Error("The program that serves this page has ended.");
    }
    if (!response.ok) throw new Error((await response.text()).trim());
    return response;
  }

  async #json(path, of = {}, signal = undefined) {
    return (await this.#get(path, of, signal)).json();
  }

  runs() { return this.#json("/api/run"); }
  state(run) { return this.#json("/api/state", {run}); }
  node(run, node, time, signal) { return this.#json("/api/node", {run, node, time}, signal); }
  packet(run, packet, signal) { return this.#json("/api/packet", {run, packet}, signal); }
  latencies(run) { return this.#json("/api/latencies", {run}); }
  difference() { return this.#json("/api/difference"); }

  packets(run, where, limit, signal) {
    return this.#json("/api/packets", {run, where, sort: "latency", limit}, signal);
  }

  async far(run) {
    const response = await this.#get("/api/far", {run});
    return new Uint32Array(await response.arrayBuffer());
  }

  async frame(run, from, to, layers, signal) {
    const response = await this.#get("/api/frame", {run, from, to, layers}, signal);
    return decode(await response.arrayBuffer());
  }
}

/** An exported folder: samples of a run, and its slowest packets. */
class Folder {
  isWhole = false;
  #data;

  constructor(data) { this.#data = data; }

  static #bytes(text) {
    const binary = atob(text);
    return Uint8Array.from(binary, (letter) => letter.charCodeAt(0)).buffer;
  }

  async runs() { return this.#data.about; }
  async state(run) { return this.#data.runs[run].state; }
  async latencies(run) { return this.#data.runs[run].latencies; }
  async difference() { return this.#data.difference; }
  async far(run) { return new Uint32Array(Folder.#bytes(this.#data.runs[run].far)); }

  /** The times of the samples. */
  times(run) { return this.#data.runs[run].frames.map((frame) => frame.to); }

  async frame(run, from, to) {
    const frames = this.#data.runs[run].frames;
    const found = frames.findLast((frame) => frame.to <= to) ?? frames[0];
    return decode(Folder.#bytes(found.bytes));
  }

  async node() {
    throw new Error("A folder doesn't hold what is in nodes: that needs `flitwork view`.");
  }

  async packet(run, packet) {
    const found = this.#data.runs[run].packets[packet];
    if (!found) throw new Error(`This folder holds the slowest packets, and ${packet} isn't one of them: the others need \`flitwork view\`.`);
    return found;
  }

  async packets(run, where, limit) {
    if (where.trim()) throw new Error("A folder holds the slowest packets only: conditions need `flitwork view`.");
    const {slowest, packets} = this.#data.runs[run].latencies;
    return {packets: slowest.slice(0, limit), all: packets};
  }
}

/** The source of this page. */
export function source() {
  return globalThis.FLITWORK_DATA ? new Folder(globalThis.FLITWORK_DATA) : new Program();
}
