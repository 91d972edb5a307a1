// Numbers, times and packets as text.

/** A number with thin spaces between thousands. */
export function number(value) {
  if (value === null || value === undefined) return "–";
  return Math.round(value).toString().replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

/** A fraction or an average, to about three digits. */
export function decimal(value) {
  if (!Number.isFinite(value)) return "–";
  if (Number.isInteger(value) || Math.abs(value) >= 100) return number(value);
  return value.toPrecision(Math.abs(value) < 0.1 ? 2 : 3).replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "");
}

/** A time of a run, with its unit. */
export function time(value, run) {
  return `${number(value)} ${run.unit}`;
}

/** A node with its coordinates, `27 (3, 6)`. */
export function nodeName(index, run) {
  const at = coordinates(index, run);
  return at.length ? `${index} (${at.join(", ")})` : `${index}`;
}

/** A node's coordinates: x, y and so on; none on a network that is no grid. */
export function coordinates(index, run) {
  if (!run.sides) return [];
  let rest = index;
  return run.sides.map((side) => {
    const here = rest % side;
    rest = Math.floor(rest / side);
    return here;
  });
}

/** The number of a node from `27`, `3,6` or `(3, 6)`; null if that is none. */
export function nodeNumber(text, run) {
  const parts = text.replace(/[()\s]/g, " ").trim().split(/[\s,]+/).map(Number);
  if (!parts.every((part) => Number.isInteger(part) && part >= 0)) return null;
  if (parts.length === 1) return parts[0] < run.nodes ? parts[0] : null;
  if (!run.sides || parts.length !== run.sides.length) return null;
  if (parts.some((part, axis) => part >= run.sides[axis])) return null;
  return parts.reduceRight((sum, part, axis) => sum * run.sides[axis] + part, 0);
}

/** An element with attributes, properties that begin with `on`, and children. */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}
