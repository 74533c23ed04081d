// SPDX-License-Identifier: Apache-2.0
// Where the boxes of the flow stand, wide or narrow, for any number of tiers.

export const NODE = { width: 164, height: 76 };
const GAP = { x: 56, y: 20 };
const EDGE = 4;

export function layout(boxes, narrow) {
  return narrow ? down(boxes) : across(boxes);
}

/** accepted → requests → settled on top; the tiers and the dead-letter queue in the row below. */
function across({ accepted, requests, tiers, dlq, settled }) {
  const perRow = 4;
  const below = [...tiers, dlq];
  const columns = Math.max(3, Math.min(perRow, below.length));
  const width = columns * NODE.width + (columns - 1) * GAP.x + 2 * EDGE;
  const last = width - NODE.width - EDGE;
  const at = (column) => EDGE + column * (NODE.width + GAP.x);
  const second = NODE.height + 64;
  const places = below.map((box, index) => ({
    box, x: at(index % perRow), y: second + Math.floor(index / perRow) * (NODE.height + 3 * GAP.y),
  }));
  const rows = Math.ceil(below.length / perRow);
  const middle = EDGE + NODE.height / 2;
  const requestsX = at(1);
  const lines = [
    { path: `M${EDGE + NODE.width} ${middle} H${requestsX - 2}` },
    { path: `M${requestsX + NODE.width} ${middle} H${last - 2}` },
    ...places.slice(0, -1).filter((_, index) => (index + 1) % perRow !== 0).map(({ x, y }) => ({
      path: `M${x + NODE.width} ${y + NODE.height / 2} H${x + NODE.width + GAP.x - 2}`,
    })),
  ];
  if (tiers.length > 0) {
    const first = places[0];
    lines.push({ path: `M${requestsX + NODE.width / 2 - 24} ${EDGE + NODE.height} V${EDGE + NODE.height + 26} H${first.x + NODE.width / 2} V${first.y - 2}` });
  }
  lines.push({ path: `${merge(places.at(-1), second)} H${requestsX + NODE.width / 2 + 24} V${EDGE + NODE.height + 2}`, dashed: true });
  return {
    width, height: second + rows * NODE.height + (rows - 1) * 3 * GAP.y + EDGE, lines,
    boxes: [{ box: accepted, x: EDGE, y: EDGE }, { box: requests, x: requestsX, y: EDGE }, { box: settled, x: last, y: EDGE }, ...places],
  };
}

/** From the dead-letter queue up to above all tiers, between the boxes that stand over it. */
function merge({ x, y }, second) {
  const up = `M${x + NODE.width / 2} ${y}`;
  if (y === second) return `${up} V${second - GAP.y}`;
  const aside = x > EDGE ? x - GAP.x / 2 : x + NODE.width + GAP.x / 2;
  return `${up} V${y - GAP.y} H${aside} V${second - GAP.y}`;
}

/** One above the other, the tiers indented. */
function down({ accepted, requests, tiers, dlq, settled }) {
  const indent = 2 * NODE.width / 3 + 24;
  const step = NODE.height + GAP.y;
  const main = [accepted, requests];
  const side = [...tiers, dlq];
  const boxes = [
    ...main.map((box, index) => ({ box, x: EDGE, y: EDGE + index * step })),
    ...side.map((box, index) => ({ box, x: EDGE + indent, y: EDGE + (index + 2) * step })),
    { box: settled, x: EDGE, y: EDGE + (side.length + 2) * step },
  ];
  const spine = EDGE + 40;
  const lines = [
    { path: `M${spine} ${EDGE + NODE.height} V${EDGE + step - 2}` },
    { path: `M${spine} ${EDGE + step + NODE.height} V${EDGE + (side.length + 2) * step - 2}` },
    ...side.map((_, index) => ({ path: `M${spine} ${EDGE + (index + 2) * step + NODE.height / 2} H${EDGE + indent - 2}`, dashed: index > 0 })),
  ];
  return { width: EDGE * 2 + indent + NODE.width, height: EDGE * 2 + (side.length + 3) * step - GAP.y, boxes, lines };
}
