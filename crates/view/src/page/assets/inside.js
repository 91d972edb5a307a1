// The inside of a node: its buffers, credits and registers, and what its next step decides.

import {element, nodeName, number, time} from "./format.js";

/** A packet's name, which leads to it. */
export function packetLink(name, on) {
  return element("button", {class: "packet", type: "button", title: `packet ${name}: its way and its latency`, onclick: () => on.packet(name)}, name);
}

/** A node's name, which leads to it. */
export function nodeLink(index, run, on) {
  return element("button", {class: "node", type: "button", title: `node ${nodeName(index, run)}: its inside`, onclick: () => on.node(index)}, nodeName(index, run));
}

function part(held, on) {
  const words = held.words === 0 ? "words to come" : held.words === 1 ? `word ${held.first}` : `words ${held.first}–${held.first + held.words - 1}`;
  return element("span", {class: "held"}, packetLink(held.packet, on), element("small", {}, words));
}

function buffer(it, on) {
  const state = it.state ? `, ${it.state}` : "";
  return element("div", {class: it.held.length ? "buffer full" : "buffer"},
    element("div", {class: "place"}, it.place, element("small", {}, `${it.capacity}${state}`)),
    element("div", {class: "parts"}, it.held.length ? it.held.map((held) => part(held, on)) : element("span", {class: "nothing"}, it.state === "no link" ? "no link" : "empty")));
}

/** The datapath: what comes in, what lies between, what goes out. */
function datapath(found, on) {
  const sides = [["in", "inputs"], ["inside", "between"], ["out", "outputs"]];
  const columns = sides.map(([side, name]) => {
    const buffers = found.buffers.filter((it) => it.side === side && it.state !== "no link");
    return buffers.length > 0 && element("section", {"aria-label": name}, element("h4", {}, name), buffers.map((it) => buffer(it, on)));
  });
  return element("div", {class: "datapath"}, columns);
}

function candidate(it, index, decision, on) {
  const wins = decision.winner === index;
  return element("li", {class: wins ? "wins" : null},
    wins ? element("span", {class: "mark", title: "wins"}, "▶") : element("span", {class: "mark"}, ""),
    packetLink(it.packet, on), ` from ${it.from}, rank ${it.rank}${it.deroute ? ", a deroute" : ""}`);
}

function decision(it, on) {
  return element("article", {class: "decision"},
    element("h5", {}, it.of, element("small", {}, it.rule)),
    element("p", {}, it.says, " ", element("cite", {}, it.source)),
    it.candidates.length > 0 && element("ol", {}, it.candidates.map((one, index) => candidate(one, index, it, on))),
    it.winner === null && element("p", {class: "nothing"}, "nobody gets it"),
    it.drawn && element("p", {}, `drawn: ${it.drawn[0]} of ${it.drawn[1]}`));
}

function doing(it, on) {
  let what;
  if (it.moves_to !== undefined) what = `${it.deroute ? "is derouted" : "moves"} to ${it.moves_to}`;
  else if (it.sends_to !== undefined) what = `sends a word to ${it.sends_to}`;
  else what = `stays: ${it.stays}`;
  return element("tr", {},
    element("td", {}, packetLink(it.packet, on)), element("td", {}, it.place),
    element("td", {}, what, it.culprit && [", by ", packetLink(it.culprit, on)]));
}

function table(heads, rows) {
  return element("table", {}, element("thead", {}, element("tr", {}, heads.map((head) => element("th", {scope: "col"}, head)))), element("tbody", {}, rows));
}

/** What a node holds and decides. */
export function inside(found, run, on) {
  const step = found.step;
  const rows = found.registers.map((it) => element("tr", {}, element("td", {}, it.name), element("td", {}, it.at ?? ""), element("td", {}, it.value)));
  const credits = found.credits.map((it) => element("tr", {}, element("td", {}, it.port), element("td", {}, it.channel), element("td", {class: "number"}, it.room)));
  const at = found.time === found.cycle ? `before its cycle ${number(found.cycle)}` : `before its cycle ${number(found.cycle)}, at ${time(found.time, run)}`;
  return element("div", {class: "inside"},
    element("p", {class: "when"}, at),
    datapath(found, on),
    element("h4", {}, step ? `What its cycle ${number(step.cycle)} decides`
      : found.idle_until == null ? "Nothing happens in it any more"
      : `Nothing happens in it before ${time(found.idle_until, run)}, if ever`),
    step && (step.decisions.length ? step.decisions.map((it) => decision(it, on)) : element("p", {class: "nothing"}, "nothing to decide")),
    step && step.packets.length > 0 && table(["packet", "is in", "and"], step.packets.map((it) => doing(it, on))),
    credits.length > 0 && element("details", {}, element("summary", {}, `Credits (${credits.length})`), table(["port", "channel", "room behind it"], credits)),
    rows.length > 0 && element("details", {}, element("summary", {}, `Registers (${rows.length})`), table(["register", "of", "value"], rows)));
}
