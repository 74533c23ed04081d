// SPDX-License-Identifier: Apache-2.0
import { html, useEffect, useRef, useState } from '../lib/html.js';
import { countText } from '../lib/money.js';
import { plain } from '../lib/words.js';
import { aligned, alone } from '../views/rates-sums.js';

const HEIGHT = 220;
/** Below five minutes an axis shows seconds. */
const SECONDS_MATTER = 300;
/** Lines differ by colour and by dashes. */
const DASHES = [[], [6, 4], [2, 3], [10, 4, 2, 4], [14, 4], [4, 8]];

/** Colours by their names in the style sheet, as the theme has them now. */
function colour(name) {
  const probe = document.createElement('span');
  probe.className = `colour ${name}`;
  document.body.append(probe);
  const value = getComputedStyle(probe).color;
  probe.remove();
  return value;
}

/** Neighbours are joined and nothing else is: uPlot would cut the lines at the edges of a gap, and leave the ends of steep ones in it. */
function joined(plot, row, from, to) {
  const stroke = new Path2D();
  const values = plot.data[row];
  for (let at = from; at <= to; at++) {
    if (values[at] === null) continue;
    const place = [plot.valToPos(plot.data[0][at], 'x', true), plot.valToPos(values[at], 'y', true)];
    if ((values[at - 1] ?? null) === null) stroke.moveTo(...place);
    else stroke.lineTo(...place);
  }
  return { stroke, fill: null, clip: null, band: null, gaps: null, flags: 0 };
}

function options(title, series, width) {
  const axis = { stroke: colour('muted'), grid: { stroke: colour('line'), width: 1 }, ticks: { show: false }, font: '11px system-ui, sans-serif' };
  return {
    width, height: HEIGHT, padding: [12, 28, 0, 0],
    legend: { show: false },
    cursor: { y: false, points: { size: 6 } },
    scales: { y: { range: (_, least, most) => [0, Math.max(1, most * 1.1)] } },
    // UTC as everywhere; uPlot draws the local time by itself.
    axes: [{ ...axis, size: 30, values: (_, at) => at.map((second) => new Date(second * 1_000).toISOString().slice(11, at.at(-1) - at[0] < SECONDS_MATTER ? 19 : 16)) },
      { ...axis, size: 52, values: (_, at) => at.map((number) => (Number.isInteger(number) ? countText(number) : '')) }],
    series: [{}, ...series.map((each, at) => ({ label: plain(each.key), stroke: colour(`series-${at}`), width: 1.75, dash: DASHES[at], paths: joined, points: { show: false, size: 5, fill: colour(`series-${at}`), filter: (plot, row) => alone(plot.data[row]) } }))],
  };
}

/** Lines over time. The library comes only when a chart is shown. The table beside it has the numbers for those who do not see it. */
export function Chart({ title, series, value, window }) {
  const place = useRef(null);
  const [failed, setFailed] = useState(false);
  const [theme, setTheme] = useState(0);
  useEffect(() => {
    const change = () => setTheme((count) => count + 1);
    const dark = matchMedia('(prefers-color-scheme: dark)');
    addEventListener('themechange', change);
    dark.addEventListener('change', change);
    return () => {
      removeEventListener('themechange', change);
      dark.removeEventListener('change', change);
    };
  }, []);
  useEffect(() => {
    let plot;
    let gone = false;
    const resized = new ResizeObserver(([entry]) => plot?.setSize({ width: Math.floor(entry.contentRect.width), height: HEIGHT }));
    import('../vendor/uplot.js').then(({ default: UPlot }) => {
      if (gone) return;
      const width = Math.floor(place.current.clientWidth);
      plot = new UPlot(options(title, series, width), aligned(series, value, window), place.current);
      resized.observe(place.current);
    }).catch(() => setFailed(true));
    return () => {
      gone = true;
      resized.disconnect();
      plot?.destroy();
    };
  }, [series.map((each) => each.key).join('\n'), window, theme]);
  return html`<figure class="chart panel">
    <figcaption><h2>${title}</h2>
      <ul class="legend">${series.map((each, at) => html`<li key=${each.key}><svg width="22" height="8" aria-hidden="true"><line x1="0" y1="4" x2="22" y2="4" class=${`series-${at}`} stroke-dasharray=${DASHES[at].join(' ')} /></svg>${plain(each.key)}</li>`)}</ul>
    </figcaption>
    ${failed ? html`<p class="state">The chart cannot be drawn. The table below has its numbers.</p>` : html`<div ref=${place} class="plot" role="img" aria-label=${`${title} over time. The table below has the sums.`}></div>`}
  </figure>`;
}
