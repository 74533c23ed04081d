// SPDX-License-Identifier: Apache-2.0
// Is money stuck, how much, where, since when, and what should be done next?
import { html, useEffect } from '../lib/html.js';
import { useLoad } from '../lib/load.js';
import { overview } from '../lib/live.js';
import { countText } from '../lib/money.js';
import { isOurs } from '../lib/router.js';
import { useStore } from '../lib/store.js';
import { PSP_STATES } from '../lib/words.js';
import { Badge } from '../parts/badge.js';
import { Command } from '../parts/command.js';
import { Flow } from '../parts/flow.js';
import { Age, Exact, When } from '../parts/moments.js';
import { Failure, Loading } from '../parts/states.js';
import { Money } from '../parts/sums.js';
import { Books } from './overview-books.js';
import { rateWords } from './rates-sums.js';

const SEVERITIES = { held: 'Held by a person', critical: 'Do this first', warning: 'Soon', info: 'To know' };
const LETTERS = { quiet: 'Quiet', attention: 'Look', stuck: 'Stuck', unknown: 'Unknown' };

export function Overview() {
  const first = useLoad('/api/overview');
  const now = useStore(overview) ?? first.data;
  useEffect(() => {
    document.title = `${now ? `${LETTERS[now.verdict] ?? 'Overview'} · ` : ''}Chargeonce console`;
  }, [now?.verdict]);
  if (!now) {
    return html`<h1 tabindex="-1" class="for-readers">Overview</h1>
      ${first.problem ? html`<${Failure} problem=${first.problem} retry=${first.reload} />` : html`<${Loading} what="where the money is" />`}`;
  }
  return html`<article class="overview" aria-label="Overview">
    <${Verdict} now=${now} />
    <div class="overview-columns">
      <${Advice} advice=${now.advice} unknown=${now.verdict === 'unknown'} />
      <${Figures} now=${now} />
    </div>
    <section class="panel" aria-labelledby="flow-title">
      <header><h2 id="flow-title">Where the payments are</h2><${Witness} progress=${now.witness} /></header>
      <${Flow} of=${now} />
      <${Books} flow=${now.flow} witness=${now.witness} />
    </section>
    <${PspRow} psps=${now.psps} />
  </article>`;
}

function Verdict({ now }) {
  return html`<header class=${`verdict ${now.verdict}`}>
    <h1 tabindex="-1">${now.headline}</h1>
    ${now.stuck?.length > 0 && html`<p class="stuck"><${Money} of=${now.stuck} most=${6} /></p>`}
    <p class="since">
      ${now.since && html`Since <${Exact} at=${now.since} />, <${When} at=${now.since} />. `}
      <span class="as-of">As of <${When} at=${now.at} />.</span>
    </p>
  </header>`;
}

function Advice({ advice, unknown }) {
  return html`<section class="panel advice" aria-labelledby="advice-title">
    <header><h2 id="advice-title">What to do next</h2></header>
    ${advice.length === 0
      ? html`<p class="nothing">${unknown ? 'Wait until the witness is live: only then is it known whether something has to be done.' : 'Nothing needs a person now.'}</p>`
      : html`<ol>${advice.map((each) => html`<li key=${each.text} class=${each.severity}>
          <span class="severity">${SEVERITIES[each.severity]}</span>
          <p>${isOurs(each.link) ? html`<a href=${each.link}>${each.text}</a>` : each.text}</p>
          ${each.command && html`<${Command} text=${each.command} />`}
        </li>`)}</ol>`}
  </section>`;
}

const FIGURES = [
  ['dead', 'Dead letters', '/dead-letters', 'Nothing is dead.'],
  ['unresolved', 'Outcome unknown', '/dead-letters?standing=unresolved', 'Every outcome is known.'],
  ['overdue', 'Overdue', '/overdue', 'Nothing is late.'],
];

function Figures({ now }) {
  return html`<section class="figures" aria-label="Sums">
    ${FIGURES.map(([name, title, href, none]) => {
      const sum = now[name];
      return html`<a key=${name} class=${`figure ${sum.count > 0 ? '' : 'zero'}`} href=${href}>
        <span class="label">${title}</span>
        <span class="number">${countText(sum.count)}</span>
        ${sum.count > 0 ? html`<${Money} of=${sum.money} most=${3} /><span class="oldest">${sum.oldest_at ? html`oldest <${Age} at=${sum.oldest_at} />` : ''}</span>`
          : html`<span class="none">${sum.count === 0 ? none : 'Not known yet.'}</span>`}
      </a>`;
    })}
  </section>`;
}

function Witness({ progress }) {
  if (!progress) return null;
  const state = String(progress.state).toLowerCase();
  const words = {
    starting: 'The witness is starting',
    rebuilding: `The witness is rebuilding itself, ${Math.floor(progress.percent)} %, ${countText(progress.records_to_go)} records to go`,
    live: progress.live_since ? html`Witness live for <${Age} at=${progress.live_since} />` : 'Witness live',
    stopped: 'The witness has stopped',
  }[state];
  const tone = { live: 'good', stopped: 'critical' }[state] ?? 'warning';
  return html`<span class="witness"><${Badge} tone=${tone}>${words}<//>${progress.problem && html` <span class="problem">${progress.problem}</span>`}</span>`;
}

function PspRow({ psps }) {
  if (psps.length === 0) return null;
  return html`<section class="psp-row" aria-label="PSPs">
    ${psps.map((psp) => html`<a key=${psp.psp} href="/psps" class="psp">
      <span class="name">${psp.psp}</span>
      <${Badge} tone=${PSP_STATES[psp.state]?.tone}>${PSP_STATES[psp.state]?.is ?? psp.state}${psp.state !== 'well' && psp.since && html` for <${Age} at=${psp.since} />`}<//>
      <span class="rate">${rateWords(psp)}${psp.waiting.count > 0 ? `; ${countText(psp.waiting.count)} ${psp.waiting.count === 1 ? 'waits and is' : 'wait and are'} left out` : ''}</span>
    </a>`)}
  </section>`;
}
