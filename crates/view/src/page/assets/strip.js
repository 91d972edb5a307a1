// The load and the deroutes of a whole run, along which one scrubs.

import {decimal, number} from "./format.js";

/** The run's time that the strip shows, from 0 on. */
export function lengthOf(states, runs, now) {
  const cycles = states.map((state, index) => (state?.strip?.until ?? 0) / runs[index].cycle_time);
  return Math.max(1, now, ...cycles);
}

/** Draws the strips of the runs beneath each other, and where in them one is, all in cycles of the nominal clock. */
export function drawStrip(canvas, states, runs, now) {
  const ratio = globalThis.devicePixelRatio || 1;
  const {clientWidth: width, clientHeight: height} = canvas;
  [canvas.width, canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  const style = getComputedStyle(canvas);
  const colour = (name) => style.getPropertyValue(name).trim();
  const length = lengthOf(states, runs, now);
  const each = height / runs.length;
  states.forEach((state, index) => {
    const top = index * each;
    if (index > 0) {
      context.fillStyle = colour("--edge");
      context.fillRect(0, top, width, 1);
    }
    if (state?.strip) drawOne(context, state.strip, runs[index], [width, top, each], length, colour);
  });
  const x = (now / length) * width;
  context.fillStyle = colour("--ink");
  context.fillRect(Math.max(0, Math.min(width - 2, x - 1)), 0, 2, height);
}

function drawOne(context, strip, run, [width, top, height], length, colour) {
  const bucket = (strip.bucket_time / run.cycle_time / length) * width;
  const seen = (strip.until / run.cycle_time / length) * width;
  const most = Math.max(1, ...strip.held);
  const bottom = top + height - 1;
  const room = height * 0.62;
  context.fillStyle = colour("--load");
  context.beginPath();
  context.moveTo(0, bottom);
  strip.held.forEach((held, index) => {
    const y = bottom - (held / most) * room;
    context.lineTo(index * bucket, y);
    context.lineTo(Math.min(seen, (index + 1) * bucket), y);
  });
  context.lineTo(seen, bottom);
  context.fill();
  // Deroutes hang from above, so that both can be read.
  const mostDeroutes = Math.max(1, ...strip.deroutes);
  context.fillStyle = colour("--deroutes");
  strip.deroutes.forEach((deroutes, index) => {
    if (deroutes > 0) context.fillRect(index * bucket, top, Math.max(1, bucket), Math.max(1, (deroutes / mostDeroutes) * height * 0.3));
  });
}

/** What the strip's heights mean. */
export function stripLegend(state, run) {
  const strip = state?.strip;
  if (!strip || !strip.held.length) return ["", ""];
  const most = Math.max(0, ...strip.held);
  const deroutes = Math.max(0, ...strip.deroutes);
  const bucket = strip.bucket_time / run.cycle_time;
  return [
    `load: up to ${decimal(most)} ${run.holds} in the network`,
    `deroutes: up to ${number(deroutes)} in ${number(bucket)} cycles`,
  ];
}
