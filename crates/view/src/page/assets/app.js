// The page: what is shown of one run, or of two beside each other.

import {element, nodeName, nodeNumber, number, time} from "./format.js";
import {MEASURES} from "./heat.js";
import {inside, nodeLink} from "./inside.js";
import {journey, wayAt} from "./journey.js";
import {bindKeys, tellKeys} from "./keys.js";
import {drawHistogram, packetTable, quantiles} from "./latencies.js";
import {Maps} from "./maps.js";
import {Player, SPEEDS} from "./player.js";
import {source} from "./source.js";
import {drawStrip, lengthOf, stripLegend} from "./strip.js";

const $ = (id) => document.getElementById(id);
const TABS = ["node", "packet", "latency", "difference", "run"];
/** How many of the slowest packets are listed. */
const SLOWEST = 100;

/** Everything that the page knows. */
class App {
  #source = source();
  #runs = [];
  #states = [];
  #latencies = [];
  #packet = null;
  #selected = null;
  #asking = {node: null, packet: null, packets: null};
  #difference = null;
  #looked = {node: null, now: null};
  #rate = [];
  #isLog = true;

  async start() {
    const {runs, heat} = await this.#source.runs();
    this.#runs = runs;
    const fars = await Promise.all(runs.map((_, run) => this.#source.far(run)));
    this.maps = new Maps($("maps"), runs, fars, heat, (node) => this.look(node));
    this.player = new Player(this.#source, runs, {
      layers: () => this.maps.layers,
      show: (frames) => this.#show(frames),
      fail: (error) => this.#tell(error.message),
      ended: () => this.#played(),
    });
    this.#dress();
    this.#listen();
    tellKeys($("key-list"));
    bindKeys(this);
    await this.player.go(0);
    this.#watch();
  }

  /** What depends on the runs and doesn't change. */
  #dress() {
    const names = this.#runs.map((run) => run.name);
    $("title").textContent = names.join(" and ");
    document.title = `${names.join(" and ")} – Flitwork`;
    for (const [key, measure] of Object.entries(MEASURES)) $("measure").append(element("option", {value: key}, measure.name(this.#runs[0])));
    SPEEDS.forEach((speed, index) => {
      const slowly = speed.rate < 60 ? `, ${speed.rate} a second` : "";
      const what = this.#runs[0].unit === "causal steps" ? "step" : "cycle";
      $("speed").append(element("option", {value: index}, `${speed.cycles} ${what}${speed.cycles > 1 ? "s" : ""} a frame${slowly}`));
    });
    $("speed").value = SPEEDS.indexOf(this.player.speed);
    $("unit").textContent = this.#runs[0].unit === "ps" ? "cycles of the nominal clock" : this.#runs[0].unit;
    if (this.#runs.length > 1) {
      for (const id of ["to-difference", "tab-difference", "packet-run"]) $(id).hidden = false;
      ["A", "B"].forEach((name, run) => $("packet-run").append(element("option", {value: run}, name)));
      $("difference").replaceChildren(element("p", {class: "hint"}, "The first difference is being looked for."));
    }
    if (!this.#source.isWhole) $("speed").closest("label").hidden = true;
    $("run").replaceChildren(...this.#runs.flatMap((run) => [
      element("h3", {}, run.name),
      element("table", {}, element("tbody", {}, run.about.map(([name, value]) => element("tr", {}, element("th", {scope: "row"}, name), element("td", {}, value))))),
      element("details", {}, element("summary", {}, "Its whole configuration"), element("pre", {tabindex: 0}, run.configuration)),
    ]));
    this.tab("node");
  }

  #listen() {
    $("measure").addEventListener("change", () => this.measure($("measure").value));
    $("speed").addEventListener("change", () => this.setSpeed(Number($("speed").value)));
    $("play").addEventListener("click", () => this.playOrPause());
    $("back").addEventListener("click", () => this.step(-1));
    $("forth").addEventListener("click", () => this.step(1));
    $("first").addEventListener("click", () => this.go(0));
    $("help").addEventListener("click", () => $("keys").showModal());
    $("theme").addEventListener("click", () => this.theme());
    $("to-difference").addEventListener("click", () => this.toDifference());
    $("go").addEventListener("submit", (event) => {
      event.preventDefault();
      const wanted = Number($("time").value.replace(/[^\d.]/g, ""));
      if (Number.isFinite(wanted)) this.go(wanted);
    });
    $("find-node").addEventListener("submit", (event) => {
      event.preventDefault();
      const node = nodeNumber($("node-name").value, this.#runs[0]);
      if (node === null) this.#put("node", element("p", {class: "error"}, `There is no node ${$("node-name").value}; allowed: 0 to ${this.#runs[0].nodes - 1}${this.#runs[0].sides ? ", or coordinates as 3,6" : ""}.`));
      else this.look(node);
    });
    $("find-packet").addEventListener("submit", (event) => {
      event.preventDefault();
      this.showPacket($("packet-name").value.trim(), Number($("packet-run").value || 0));
    });
    for (const name of TABS) {
      $(`tab-${name}`).addEventListener("click", () => this.tab(name));
      $(`tab-${name}`).addEventListener("keydown", (event) => this.#tabKey(name, event));
    }
    this.#listenToStrip();
    new ResizeObserver(() => this.#drawStrip()).observe($("strip"));
  }

  #tabKey(name, event) {
    const shown = TABS.filter((it) => !$(`tab-${it}`).hidden);
    const move = {ArrowRight: 1, ArrowLeft: -1}[event.key];
    if (!move) return;
    event.preventDefault();
    event.stopPropagation();
    const next = shown[(shown.indexOf(name) + move + shown.length) % shown.length];
    this.tab(next);
    $(`tab-${next}`).focus();
  }

  #listenToStrip() {
    const strip = $("strip");
    const at = (event) => this.go(Math.round((event.offsetX / strip.clientWidth) * this.#length));
    strip.addEventListener("pointerdown", (event) => {
      strip.setPointerCapture(event.pointerId);
      at(event);
    });
    strip.addEventListener("pointermove", (event) => { if (event.buttons & 1) at(event); });
    strip.addEventListener("keydown", (event) => {
      const part = Math.max(1, Math.round(this.#length / 100));
      const to = {
        ArrowLeft: this.player.now - part, ArrowRight: this.player.now + part, ArrowDown: this.player.now - part, ArrowUp: this.player.now + part,
        PageDown: this.player.now - 10 * part, PageUp: this.player.now + 10 * part, Home: 0, End: this.#length,
      }[event.key];
      if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      event.stopPropagation();
      this.go(Math.min(to, this.#length));
    });
  }

  get #length() { return lengthOf(this.#states, this.#runs, this.player.now); }

  // Time.

  go(now) { return this.player.go(now); }
  step(cycles) { return this.player.go(this.player.next(cycles)); }
  toEnd() { return this.go(this.#length); }

  playOrPause() {
    if (this.player.isPlaying) {
      this.player.pause();
      this.#played();
      return;
    }
    this.#rate = [];
    this.player.play();
    $("play").textContent = "❚❚";
    $("play").setAttribute("aria-label", "pause");
  }

  #played() {
    $("play").textContent = "▶";
    $("play").setAttribute("aria-label", "play");
    $("rate").textContent = "";
    this.#lookAgain();
  }

  setSpeed(index) {
    const speed = SPEEDS[Math.max(0, Math.min(SPEEDS.length - 1, index))];
    this.player.speed = speed;
    $("speed").value = SPEEDS.indexOf(speed);
    this.maps.rescale();
    if (!this.player.isPlaying) this.go(this.player.now);
  }

  faster(steps) { if (this.#source.isWhole) this.setSpeed(SPEEDS.indexOf(this.player.speed) + steps); }

  measure(name) {
    $("measure").value = name;
    this.maps.choose(name);
    if (!this.player.isPlaying) this.go(this.player.now);
  }

  nextMeasure() {
    const names = Object.keys(MEASURES);
    this.measure(names[(names.indexOf(this.maps.measure) + 1) % names.length]);
  }

  #show(frames) {
    this.#tell(null);
    this.maps.show(frames);
    const {now} = this.player;
    if (document.activeElement !== $("time")) $("time").value = number(now);
    if (this.#packet) this.maps.way(this.#packet.run, wayAt(this.#packet.found, now * this.#runs[this.#packet.run].cycle_time));
    this.#drawStrip();
    if (this.player.isPlaying) this.#showRate();
    else {
      $("play").textContent = "▶";
      $("play").setAttribute("aria-label", "play");
      this.#lookAgain();
    }
    document.documentElement.dataset.frames = this.player.shown;
    document.documentElement.dataset.now = now;
  }

  #showRate() {
    this.#rate.push(performance.now());
    if (this.#rate.length > 30) this.#rate.shift();
    const taken = this.#rate.at(-1) - this.#rate[0];
    if (taken > 0) $("rate").textContent = `${Math.round((1000 * (this.#rate.length - 1)) / taken)} frames a second`;
  }

  #drawStrip() {
    const strip = $("strip");
    drawStrip(strip, this.#states, this.#runs, this.player.now);
    strip.setAttribute("aria-valuemax", Math.round(this.#length));
    strip.setAttribute("aria-valuenow", Math.round(this.player.now));
    strip.setAttribute("aria-valuetext", `${number(this.player.now)} of ${number(this.#length)} ${$("unit").textContent}`);
    const [load, deroutes] = stripLegend(this.#states[0], this.#runs[0]);
    $("load-legend").textContent = load;
    $("deroutes-legend").textContent = deroutes;
  }

  // What is found out meanwhile.

  async #watch() {
    for (;;) {
      let isKnown = true;
      try {
        for (let run = 0; run < this.#runs.length; run++) {
          this.#states[run] = await this.#source.state(run);
          const {strip, packets, differs} = this.#states[run];
          if (differs) this.#tell(differs);
          isKnown &&= Boolean(strip?.ended) && (packets.known || packets.failed);
          if (packets.known && !this.#latencies[run]) {
            this.#latencies[run] = await this.#source.latencies(run);
            this.#showLatencies();
          }
        }
        if (this.#runs.length > 1 && !this.#difference) isKnown &&= await this.#findDifference();
      } catch (error) {
        this.#tell(error.message);
        return;
      }
      this.#tellKnown();
      this.#drawStrip();
      if (isKnown) return;
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  }

  #tellKnown() {
    const texts = this.#states.map(({strip, packets}, index) => {
      const run = this.#runs[index];
      const name = this.#runs.length > 1 ? `${"AB"[index]}: ` : "";
      if (!strip) return `${name}beginning`;
      if (!strip.ended) return `${name}known up to ${time(strip.until, run)}`;
      const listed = packets.known ? "" : `; listing packets${packets.cycle ? `, cycle ${number(packets.cycle)}` : ""}`;
      return `${name}ends before ${time(strip.until, run)}: ${packets.failed ?? strip.ended}${listed}`;
    });
    $("known").textContent = texts.join("; ");
  }

  #tell(message) {
    $("notice").hidden = !message;
    $("notice").textContent = message ?? "";
  }

  // Panels.

  tab(name) {
    for (const it of TABS) {
      $(`panel-${it}`).hidden = it !== name;
      $(`tab-${it}`).setAttribute("aria-selected", it === name);
      $(`tab-${it}`).tabIndex = it === name ? 0 : -1;
    }
    if (name === "latency") this.#drawHistograms();
  }

  #put(panel, ...children) { $(panel).replaceChildren(...children); }

  #on(run) {
    return {
      packet: (name) => this.showPacket(name, run),
      node: (node) => this.look(node),
      time: (at) => this.go(at / this.#runs[run].cycle_time),
    };
  }

  #ask(what) {
    this.#asking[what]?.abort();
    this.#asking[what] = new AbortController();
    return this.#asking[what].signal;
  }

  /** Looks into a node. */
  look(node) {
    this.#selected = node;
    this.maps.select(node);
    this.tab("node");
    this.player.pause();
    this.#looked.node = null;
    this.#played();
  }

  /** Looks again, if time has gone on. */
  async #lookAgain() {
    const {now} = this.player;
    const node = this.#selected;
    if (node === null || this.player.isPlaying || (this.#looked.node === node && this.#looked.now === now)) return;
    this.#looked = {node, now};
    const signal = this.#ask("node");
    $("node").setAttribute("aria-busy", "true");
    const slow = setTimeout(() => this.#put("node", element("p", {class: "hint"}, "Going there with an engine that moves words one by one…")), 400);
    try {
      const found = await Promise.all(this.#runs.map((run, index) => this.#source.node(index, node, Math.round(now * run.cycle_time), signal)));
      clearTimeout(slow);
      this.#put("node",
        element("h3", {}, `Node ${nodeName(node, this.#runs[0])}`),
        element("div", {class: found.length > 1 ? "two" : null}, found.map((it, index) => element("div", {},
          found.length > 1 && element("h3", {}, "AB"[index]), inside(it, this.#runs[index], this.#on(index))))));
    } catch (error) {
      clearTimeout(slow);
      if (error.name !== "AbortError") this.#put("node", element("p", {class: "error"}, error.message));
    }
    if (!signal.aborted) $("node").removeAttribute("aria-busy");
  }

  /** Shows a packet: its way and where its latency comes from. */
  async showPacket(name, run = 0) {
    this.tab("packet");
    $("packet-name").value = name;
    if (this.#runs.length > 1) $("packet-run").value = run;
    const signal = this.#ask("packet");
    this.#put("packet", element("p", {class: "hint"}, `Following packet ${name}…`));
    try {
      const found = await this.#source.packet(run, name, signal);
      this.#packet = {run, found};
      const of = this.#runs.length > 1 ? ` of ${"AB"[run]}` : "";
      this.#put("packet", element("h3", {}, `Packet ${name}${of}`), journey(found, this.#runs[run], this.#on(run)));
      this.maps.way(run, wayAt(found, this.player.now * this.#runs[run].cycle_time));
    } catch (error) {
      if (error.name === "AbortError") return;
      this.#put("packet", element("p", {class: "error"}, error.message));
    }
  }

  /** Takes away what is drawn over the map. */
  clear() {
    this.#packet = null;
    this.#selected = null;
    this.maps.way(0, null);
    this.maps.select(null);
  }

  #showLatencies() {
    const parts = this.#latencies.map((found, run) => {
      const where = element("input", {placeholder: "deroutes > 2 && source.x < 4", "aria-label": "only packets for which this holds", spellcheck: "false"});
      const list = element("div", {}, packetTable(found.slowest.slice(0, SLOWEST), this.#runs[run], this.#on(run)));
      const form = element("form", {class: "find", onsubmit: (event) => {
        event.preventDefault();
        this.#search(run, where.value, list);
      }}, where, element("button", {}, "Filter"));
      return element("section", {},
        this.#runs.length > 1 && element("h3", {}, "AB"[run]),
        element("p", {}, quantiles(found)),
        element("canvas", {class: "histogram", role: "img", "data-run": run, "aria-label": `histogram of latencies: ${quantiles(found)}`}),
        element("label", {}, element("input", {type: "checkbox", checked: this.#isLog, onchange: (event) => {
          this.#isLog = event.target.checked;
          this.#drawHistograms();
        }}), " logarithmic counts"),
        element("h4", {}, "The slowest packets: each leads to what held it up"), form, list);
    });
    this.#put("latency", ...parts);
    this.#drawHistograms();
  }

  async #search(run, where, list) {
    const signal = this.#ask("packets");
    try {
      const {packets, all} = await this.#source.packets(run, where, SLOWEST, signal);
      list.replaceChildren(element("p", {role: "status"}, `${number(all)} packets`), packetTable(packets, this.#runs[run], this.#on(run)));
    } catch (error) {
      if (error.name !== "AbortError") list.replaceChildren(element("pre", {class: "error", role: "alert"}, error.message));
    }
  }

  #drawHistograms() {
    for (const canvas of document.querySelectorAll("canvas.histogram")) {
      const found = this.#latencies[Number(canvas.dataset.run)];
      if (canvas.clientWidth > 0 && found?.bins.length) drawHistogram(canvas, found, this.#isLog);
    }
  }

  // Two runs.

  async #findDifference() {
    const found = await this.#source.difference();
    if (found.state === "searching") return false;
    this.#difference = found;
    this.#showDifference();
    return true;
  }

  #showDifference() {
    const {state, difference} = this.#difference;
    $("to-difference").disabled = state !== "found";
    if (state !== "found") {
      this.#put("difference", element("p", {}, "There is no difference: every node does the same in each of its cycles, for as long as both runs last."));
      return;
    }
    const run = this.#runs[0];
    const event = (side) => {
      const it = difference[side].event;
      if (!it) return "nothing that the other doesn't";
      const parts = Object.entries(it).filter(([name, value]) => value !== null && !["time", "cycle", "node", "kind"].includes(name) && !name.startsWith("node."));
      return `${it.kind}: ${parts.map(([name, value]) => `${name} ${value === true ? "yes" : value === false ? "no" : value}`).join(", ")}`;
    };
    this.#put("difference",
      element("p", {}, "The runs part at node ", nodeLink(difference.node, run, this.#on(0)), ` in its cycle ${number(difference.cycle)}.`,
        difference.sources_differ ? " The sources differ: the runs have other packets from here on." : ""),
      element("table", {}, element("tbody", {}, ["a", "b"].map((side) => element("tr", {}, element("th", {scope: "row"}, side.toUpperCase()), element("td", {}, event(side)))))),
      element("p", {class: "actions"}, element("button", {type: "button", onclick: () => this.toDifference()}, "Go there")),
      element("h4", {}, "How it spreads: nodes that do something else by so many cycles later"),
      element("table", {class: "sums"}, element("tbody", {}, difference.spread.map(({cycles, nodes}) => element("tr", {}, element("td", {class: "number"}, `${number(cycles)} cycles`), element("td", {class: "number"}, `${number(nodes)} nodes`))))));
  }

  /** Goes to the first difference, and shows the node in both runs. */
  async toDifference() {
    if (this.#difference?.state !== "found") return;
    const {difference} = this.#difference;
    const at = difference.a.node?.step?.time ?? difference.a.event?.time;
    const other = difference.b.node?.step?.time ?? difference.b.event?.time ?? 0;
    const now = at === undefined ? other / this.#runs[1].cycle_time : at / this.#runs[0].cycle_time;
    await this.go(now);
    this.look(difference.node);
  }

  // Looks.

  theme() {
    const root = document.documentElement;
    const isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = isDark ? "light" : "dark";
    this.maps.redraw();
    this.#drawStrip();
    this.#drawHistograms();
  }

  help() { $("keys").showModal(); }
  find(what) {
    this.tab(what);
    $(`${what}-name`).focus();
    $(`${what}-name`).select();
  }
  focusTime() { $("time").focus(); $("time").select(); }
}

new App().start().catch((error) => {
  $("notice").hidden = false;
  $("notice").textContent = `The page can't begin: ${error.message}`;
});
