// How long packets took: a histogram, and the slowest of them.

import {decimal, element, number} from "./format.js";
import {packetRow} from "./journey.js";

/** A round step for about so many ticks. */
function step(length, ticks) {
  const rough = length / ticks;
  const decade = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].find((it) => it * decade >= rough) * decade;
}

/** Draws how many packets took how long; `isLog`: counts by their logarithm. */
export function drawHistogram(canvas, found, isLog) {
  const ratio = globalThis.devicePixelRatio || 1;
  const {clientWidth: width, clientHeight: height} = canvas;
  [canvas.width, canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  const style = getComputedStyle(canvas);
  const colour = (name) => style.getPropertyValue(name).trim();
  context.font = "11px system-ui, sans-serif";
  const [left, right, top, bottom] = [48, width - 8, 8, height - 32];
  const length = found.width * found.bins.length;
  const most = Math.max(1, ...found.bins);
  const logMost = Math.log10(most) + 0.1;
  const toY = (count) => bottom - (isLog ? (count > 0 ? (Math.log10(count) + 0.1) / logMost : 0) : count / most) * (bottom - top);
  const toX = (latency) => left + (latency / length) * (right - left);
  context.strokeStyle = colour("--edge");
  context.fillStyle = colour("--soft");
  context.textAlign = "right";
  context.textBaseline = "middle";
  const counts = [];
  if (isLog) for (let count = 1; count <= most; count *= 10) counts.push(count);
  else for (let count = 0; count <= most; count += Math.max(1, step(most, 4))) counts.push(count);
  for (const count of counts) {
    context.fillRect(left, Math.round(toY(count)), right - left, 0.5);
    context.fillText(number(count), left - 5, toY(count));
  }
  context.textAlign = "center";
  context.textBaseline = "top";
  for (let latency = 0; latency <= length; latency += step(length, Math.max(2, width / 80))) context.fillText(decimal(latency), toX(latency), bottom + 4);
  context.fillText("cycles from creation to delivery", (left + right) / 2, bottom + 18);
  context.fillStyle = colour("--load");
  found.bins.forEach((count, index) => {
    const x = toX(index * found.width);
    if (count > 0) context.fillRect(x, toY(count), Math.max(1, toX((index + 1) * found.width) - x - 0.5), bottom - toY(count));
  });
  context.fillStyle = colour("--ink");
  [["50 %", 0], ["99 %", 2]].forEach(([name, index]) => {
    const x = toX(found.quantiles[index]);
    context.fillRect(x, top, 1, bottom - top);
    context.textAlign = x > right - 40 ? "right" : "left";
    context.fillText(name, x + (x > right - 40 ? -3 : 3), top + index * 7);
  });
}

/** The quantiles in a line. */
export function quantiles(found) {
  const [half, tenth, hundredth, thousandth] = found.quantiles.map(number);
  return `${number(found.delivered)} of ${number(found.packets)} packets delivered; half within ${half} cycles, 90 % within ${tenth}, 99 % within ${hundredth}, 99.9 % within ${thousandth}, all within ${number(found.longest)}.`;
}

/** Rows of packets. */
export function packetTable(packets, run, on) {
  const heads = ["packet", "cycles", "from node", "to node", "hops", "deroutes"];
  return element("table", {class: "packets"},
    element("thead", {}, element("tr", {}, heads.map((head, index) => element("th", {scope: "col", class: [1, 4, 5].includes(index) ? "number" : null}, head)))),
    element("tbody", {}, packets.map((it) => packetRow(it, run, on))));
}
