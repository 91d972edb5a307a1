// Where the nodes of a network lie on a map, in cells.

/** Cells between two slices. */
const GAP = 1;

/**
 * The place of each node: on a plane by its coordinates; planes of a grid with more dimensions beside each other; a line
 * and what is no grid row by row, in a square.
 */
export function layout(run) {
  const {nodes} = run;
  const x = new Float32Array(nodes);
  const y = new Float32Array(nodes);
  const [width, height] = plane(run);
  const slices = Math.ceil(nodes / (width * height));
  const across = acrossOf(slices, width, height);
  for (let node = 0; node < nodes; node++) {
    const inSlice = node % (width * height);
    const slice = Math.floor(node / (width * height));
    x[node] = (inSlice % width) + (slice % across) * (width + GAP);
    y[node] = Math.floor(inSlice / width) + Math.floor(slice / across) * (height + GAP);
  }
  return {
    x, y, width, height, slices, across,
    columns: across * (width + GAP) - GAP,
    rows: Math.ceil(slices / across) * (height + GAP) - GAP,
  };
}

/** The sides of a slice. */
function plane({nodes, sides}) {
  if (sides && sides.length >= 2) return [sides[0], sides[1]];
  if (sides && nodes <= 64) return [nodes, 1];
  const side = Math.ceil(Math.sqrt(nodes));
  return [side, Math.ceil(nodes / side)];
}

/** How many slices stand beside each other, so that all together are about as wide as high. */
function acrossOf(slices, width, height) {
  let best = [Infinity, 1];
  for (let across = 1; across <= slices; across++) {
    const down = Math.ceil(slices / across);
    const unequal = Math.abs(Math.log((across * (width + GAP)) / (down * (height + GAP))));
    if (unequal < best[0]) best = [unequal, across];
  }
  return best[1];
}

/** The node at a place in cells; null where none is. */
export function nodeAt(at, column, row, nodes) {
  const [sliceX, sliceY] = [Math.floor(column / (at.width + GAP)), Math.floor(row / (at.height + GAP))];
  const [inX, inY] = [Math.floor(column) - sliceX * (at.width + GAP), Math.floor(row) - sliceY * (at.height + GAP)];
  if (sliceX < 0 || sliceX >= at.across || sliceY < 0 || inX < 0 || inY < 0 || inX >= at.width || inY >= at.height) return null;
  const node = (sliceY * at.across + sliceX) * at.width * at.height + inY * at.width + inX;
  return node < nodes ? node : null;
}
