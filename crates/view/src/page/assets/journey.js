// A packet: its way, and what each part of its latency is due to.

import {element, nodeName, number, time} from "./format.js";
import {nodeLink, packetLink} from "./inside.js";

/** Okabe and Ito's colours, each with a pattern of its own once they are used up; causes keep theirs. */
const CAUSES = {
  "source queue": "#8a93a6",
  pipeline: "#56b4e9",
  link: "#0072b2",
  "words behind the head": "#a9c7dd",
  "output taken": "#d55e00",
  "behind another worm": "#9c4a06",
  "no credit": "#e69f00",
  "multiqueue full": "#7a5195",
  "lost decision": "#cc79a7",
  "channel or switch": "#f0a3c8",
  "stall rule": "#f0e442",
  deroute: "#009e73",
  ejection: "#4fd3a5",
  "clock crossing": "#5b5f97",
  "schedule": "#8c6d31",
};

function swatch(cause) {
  const made = element("span", {class: "swatch", "aria-hidden": "true"});
  made.style.background = CAUSES[cause] ?? "#888";
  return made;
}

/** The amounts of each cause, the largest first. */
export function byCause(charges) {
  const sums = new Map();
  for (const {cause, amount} of charges) sums.set(cause, (sums.get(cause) ?? 0) + amount);
  return [...sums].sort((one, other) => other[1] - one[1]);
}

function bar(why) {
  const sums = byCause(why.charges);
  const text = sums.map(([cause, amount]) => `${cause} ${number(amount)}`).join(", ");
  const parts = sums.map(([cause, amount]) => {
    const share = amount / Math.max(1, why.total);
    const made = element("div", {title: `${cause}: ${number(amount)} ${why.unit}`}, share > 0.16 ? cause : "");
    made.style.flexGrow = amount;
    made.style.background = CAUSES[cause] ?? "#888";
    return made;
  });
  return element("div", {class: "stack", role: "img", "aria-label": `${number(why.total)} ${why.unit}: ${text}`}, parts);
}

function sums(why) {
  const rows = byCause(why.charges).map(([cause, amount]) => element("tr", {},
    element("td", {}, swatch(cause), cause),
    element("td", {class: "number"}, number(amount)),
    element("td", {class: "number"}, `${((100 * amount) / Math.max(1, why.total)).toFixed(1)}\u202f%`)));
  return element("table", {class: "sums"}, element("tbody", {}, rows));
}

function charges(why, run, on) {
  const rows = why.charges.map((it) => element("tr", {},
    element("td", {class: "number"}, element("button", {class: "time", type: "button", title: "go there", onclick: () => on.time(it.time)}, number(it.time))),
    element("td", {}, nodeLink(it.node, run, on)),
    element("td", {class: "number"}, number(it.amount)),
    element("td", {}, swatch(it.cause), it.cause),
    element("td", {}, it.culprit ? packetLink(it.culprit, on) : "")));
  const heads = [run.unit === "cycles" ? "at cycle" : `at ${run.unit === "ps" ? "ps" : "step"}`, "node", why.unit, "because of", "culprit"];
  return element("table", {class: "charges"},
    element("thead", {}, element("tr", {}, heads.map((head, index) => element("th", {scope: "col", class: [0, 2].includes(index) ? "number" : null}, head)))),
    element("tbody", {}, rows));
}

/** What is known of a packet. */
export function journey(found, run, on) {
  const {why} = found;
  const end = found.delivered === null ? "not delivered" : `delivered at ${time(found.delivered, run)}, after ${number(found.latency)} cycles`;
  return element("div", {class: "journey"},
    element("p", {}, `${found.words} ${found.words === 1 ? "word" : "words"} from node `, nodeLink(Number(why.packet.split(".")[0]), run, on), " to node ", nodeLink(why.destination, run, on),
      `, made in cycle ${number(why.created_cycle)}, ${end}; ${found.hops} hops, ${found.deroutes} of them deroutes.`),
    element("p", {class: "actions"},
      element("button", {type: "button", onclick: () => on.time(found.injected)}, "Go to its injection"),
      found.delivered !== null && element("button", {type: "button", onclick: () => on.time(found.delivered)}, "Go to its delivery")),
    bar(why), sums(why),
    element("h4", {}, "Each stretch of its latency"),
    charges(why, run, on));
}

/** A packet's way over the map at a time: the hops that it has made until its end, and where it is. */
export function wayAt(found, now) {
  const hops = found.way.filter((stay) => stay.to !== null && stay.to !== undefined);
  const stays = found.way.filter((stay) => stay.arrived <= now);
  const isThere = now >= found.injected && (found.delivered === null || now < found.delivered);
  return {
    hops,
    source: Number(found.why.packet.split(".")[0]),
    destination: found.why.destination,
    here: isThere && stays.length ? stays.at(-1).node : null,
  };
}

/** A row of a packet among others. */
export function packetRow(it, run, on) {
  return element("tr", {},
    element("td", {}, packetLink(it.packet, on)),
    element("td", {class: "number"}, number(it.latency)),
    element("td", {}, nodeName(it.source, run)),
    element("td", {}, it.destination === null ? "" : nodeName(it.destination, run)),
    element("td", {class: "number"}, number(it.hops)),
    element("td", {class: "number"}, number(it.deroutes)));
}
