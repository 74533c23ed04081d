// SPDX-License-Identifier: Apache-2.0
import { html } from '../lib/html.js';
import { overview } from '../lib/live.js';
import { useLoad } from '../lib/load.js';
import { counted, countText, percentText } from '../lib/money.js';
import { place, withQuery } from '../lib/router.js';
import { useStore } from '../lib/store.js';
import { milliseconds } from '../lib/time.js';
import { plain } from '../lib/words.js';
import { Chart } from '../parts/chart.js';
import { Bar } from '../parts/progress.js';
import { Empty, Loaded, ReadAt } from '../parts/states.js';
import { Money } from '../parts/sums.js';
import { Table } from '../parts/table.js';
import { Choice } from '../parts/tabs.js';
import { Title } from '../parts/title.js';
import { moneyOf, totals } from './rates-sums.js';

const BY = [['cause', 'cause'], ['psp', 'PSP'], ['merchant', 'merchant'], ['tier', 'tier']];
const WINDOWS = [['5m', '5 minutes'], ['1h', '1 hour'], ['24h', '24 hours']];
const DRAWN = 6;

export function Rates() {
  const { query } = useStore(place);
  const by = BY.some(([name]) => name === query.get('by')) ? query.get('by') : 'psp';
  const window = WINDOWS.some(([name]) => name === query.get('window')) ? query.get('window') : '1h';
  const rates = useLoad(`/api/rates?by=${by}&window=${window}`);
  const latencies = useLoad('/api/latencies');
  return html`
    <${Title} text="Rates and latencies">
      <${Choice} label="By" current=${by} choices=${BY.map(([name, text]) => [name, text, withQuery({ by: name })])} />
      <${Choice} label="Window" current=${window} choices=${WINDOWS.map(([name, text]) => [name, text, withQuery({ window: name })])} />
      <${ReadAt} of=${rates} />
    <//>
    <${Loaded} of=${rates} what="the rates">${(data) => (data.items.length === 0
      ? html`<${Empty} title="Nothing was tried in this window.">Choose a longer window, or look whether payments are accepted at all on the <a href="/">overview</a>.<//>`
      : html`<${RateCharts} series=${data.items} by=${by} window=${data} />`)}<//>
    <section class="panel" aria-labelledby="latency-title">
      <header><h2 id="latency-title">Latency of each hop</h2></header>
      <${Loaded} of=${latencies} what="the latencies">${({ items: hops }) => (hops.length === 0
        ? html`<${Empty} title="No hop has been measured yet.">Times are measured as payments travel.<//>`
        : html`<${Latencies} hops=${hops} />`)}<//>
    </section>`;
}

function RateCharts({ series, by, window }) {
  const sums = totals(series);
  const drawn = sums.slice(0, DRAWN).map((sum) => sum.series);
  const columns = [
    { label: by === 'psp' ? 'PSP' : by[0].toUpperCase() + by.slice(1), cell: (sum) => html`<span class="key-name">${plain(sum.key)}</span>` },
    { label: 'Succeeded', number: true, cell: (sum) => countText(sum.succeeded) },
    { label: 'Failed', number: true, cell: (sum) => countText(sum.failed) },
    { label: 'Share failed', number: true, cell: (sum) => percentText(sum.share) },
    { label: 'Money', number: true, cell: (sum) => html`<${Money} of=${moneyOf(sum.series)} most=${2} />` },
  ];
  return html`<${LeftOut} by=${by} />
    <div class="charts">
      <${Chart} title="Succeeded" series=${drawn} window=${window} value=${(point) => point.succeeded} />
      <${Chart} title="Failed" series=${drawn} window=${window} value=${(point) => point.failed} />
    </div>
    ${sums.length > DRAWN && html`<p class="hint">The ${DRAWN} with most attempts are drawn; the table has all.</p>`}
    <section class="panel" aria-label="Sums of the window"><${Table} caption="Sums of the window" columns=${columns} rows=${sums} rowKey=${(sum) => sum.key} /></section>`;
}

/** In an outage most payments wait, and a rate says nothing of them. */
function LeftOut({ by }) {
  const tiers = useStore(overview)?.tiers ?? [];
  const waiting = tiers.reduce((all, tier) => all + tier.count, 0);
  return html`<p class="lead">${by === 'psp' ? 'Only what has ended counts: succeeded, declined or died. A try that is tried again is left out.'
      : 'Each try that failed counts, also one that is tried again.'}
    ${waiting > 0 && html` <a href="/waiting">${counted(waiting, 'payment')} ${waiting === 1 ? 'waits' : 'wait'}</a> now and ${waiting === 1 ? 'has' : 'have'} not ended.`}${' '}
    A gap is a time in which nothing was tried.</p>`;
}

function Latencies({ hops }) {
  const slowest = Math.max(...hops.map((hop) => hop.p99_ms), 1);
  const columns = [
    { label: 'Hop', cell: (hop) => html`${hop.from} → ${hop.to}` },
    { label: 'Half within', number: true, cell: (hop) => milliseconds(hop.p50_ms) },
    { label: '99 % within', number: true, cell: (hop) => milliseconds(hop.p99_ms) },
    { label: 'Against the slowest', wide: true, cell: (hop) => html`<${Bar} label=${`99 % of ${hop.from} to ${hop.to}`} value=${hop.p99_ms} max=${slowest} text=${milliseconds(hop.p99_ms)}
        parts=${[{ share: hop.p50_ms / slowest, tone: 'accent' }, { share: (hop.p99_ms - hop.p50_ms) / slowest, tone: 'left' }]} />` },
    { label: 'Measured', number: true, cell: (hop) => countText(hop.count) },
  ];
  return html`<${Table} caption="Latency of each hop" columns=${columns} rows=${hops} rowKey=${(hop) => `${hop.from} ${hop.to}`} keys=${false} />`;
}
