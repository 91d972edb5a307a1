// What keys do, wherever one is.

import {element} from "./format.js";

/** Each key with what it does; where several do the same they stand together. */
const KEYS = [
  [[" "], "space", "play or pause", (app) => app.playOrPause()],
  [["."], ".", "a cycle on", (app) => app.step(1)],
  [[","], ",", "a cycle back", (app) => app.step(-1)],
  [[">"], ">", "ten cycles on", (app) => app.step(10)],
  [["<"], "<", "ten cycles back", (app) => app.step(-10)],
  [["Home"], "Home", "to the beginning", (app) => app.go(0)],
  [["End"], "End", "to the end, as far as it is known", (app) => app.toEnd()],
  [["]"], "]", "faster", (app) => app.faster(1)],
  [["["], "[", "slower", (app) => app.faster(-1)],
  [["g"], "g", "go to a time", (app) => app.focusTime()],
  [["f"], "f", "to the map: arrow keys go from node to node, with Shift they move the map, Enter looks into a node", (app) => app.maps.focus()],
  [["+", "=", "-", "0"], "+ − 0", "zoom in, out, all", (app, key) => app.maps.zoom(key)],
  [["m"], "m", "show something else as heat", (app) => app.nextMeasure()],
  [["r"], "r", "begin the scale anew", (app) => { app.maps.rescale(); app.go(app.player.now); }],
  [["n"], "n", "look for a node", (app) => app.find("node")],
  [["/", "p"], "/ p", "look for a packet", (app) => app.find("packet")],
  [["l"], "l", "latencies and the slowest packets", (app) => { app.tab("latency"); document.getElementById("tab-latency").focus(); }],
  [["d"], "d", "to the first difference of two runs", (app) => app.toDifference()],
  [["Escape"], "Esc", "take away the packet's way and the chosen node", (app) => app.clear()],
  [["t"], "t", "light or dark", (app) => app.theme()],
  [["?"], "?", "these keys", (app) => app.help()],
];

/** Lists them. */
export function tellKeys(list) {
  for (const [, name, help] of KEYS) {
    list.append(element("dt", {}, name.split(" ").map((key) => [element("kbd", {}, key), " "])), element("dd", {}, help));
  }
}

/** Listens to them. */
export function bindKeys(app) {
  const does = new Map(KEYS.flatMap(([keys, , , action]) => keys.map((key) => [key, action])));
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    const {target} = event;
    const writes = target.matches("input:not([type=checkbox]), textarea, select");
    if (writes && event.key !== "Escape") return;
    if (writes) target.blur();
    // The space bar presses what has the focus.
    if (event.key === " " && target.matches("button, summary, input")) return;
    const action = does.get(event.key);
    if (!action) return;
    event.preventDefault();
    action(app, event.key);
  });
}
