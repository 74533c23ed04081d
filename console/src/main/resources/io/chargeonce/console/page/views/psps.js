// SPDX-License-Identifier: Apache-2.0
import { html, useState } from '../lib/html.js';
import { useLoad } from '../lib/load.js';
import { counted, countText } from '../lib/money.js';
import { PSP_STATES } from '../lib/words.js';
import { Action, WhyNot } from '../parts/actions.js';
import { Badge } from '../parts/badge.js';
import { Age, When } from '../parts/moments.js';
import { Empty, Loaded, ReadAt } from '../parts/states.js';
import { Money } from '../parts/sums.js';
import { Table } from '../parts/table.js';
import { Title } from '../parts/title.js';
import { HoldDialog, ResumeDialog } from './holds.js';
import { rateWords } from './rates-sums.js';

/** How the PSPs are, and what people keep from working. */
export function Psps() {
  const psps = useLoad('/api/psps');
  const holds = useLoad('/api/holds');
  const [dialog, setDialog] = useState(null);
  const done = () => {
    psps.reload();
    holds.reload();
  };
  const heldNow = holds.data?.items ?? [];
  const holdOf = (name) => heldNow.find((hold) => hold.kind === 'psp' && hold.name === name);
  return html`
    <${Title} text="PSPs and holds"><${ReadAt} of=${psps} /><//>
    <${WhyNot} />
    <${Loaded} of=${psps} what="how the PSPs are">${({ items }) => (items.length === 0
      ? html`<${Empty} title="No PSP is known yet.">One is listed when a charging process is set up with it.<//>`
      : html`<div class="psp-cards">${items.map((psp) => html`<${Psp} key=${psp.psp} ...${{ psp, hold: holdOf(psp.psp), open: setDialog }} />`)}</div>`)}<//>
    <section class="panel" aria-labelledby="holds-title">
      <header><h2 id="holds-title">Paused or forced by people</h2>
        <${Action} onClick=${() => setDialog({ kind: 'merchant', action: 'pause' })}>Pause …<//></header>
      <${Loaded} of=${holds} what="the holds">${() => (heldNow.length === 0
        ? html`<${Empty} title="Nothing is paused or forced.">A pause keeps a PSP, a merchant or a tier from working until it ends. No payment is lost by it.<//>`
        : html`<${Holds} holds=${heldNow} resume=${(hold) => setDialog({ ...hold, action: 'resume' })} />`)}<//>
    </section>
    ${dialog && (dialog.action === 'resume'
      ? html`<${ResumeDialog} hold=${dialog} close=${() => setDialog(null)} done=${done} />`
      : html`<${HoldDialog} ...${dialog} close=${() => setDialog(null)} done=${done} />`)}`;
}

/** Each charging process has a breaker of its own. */
function breakers({ processes, breakers_open: open }) {
  if (!processes) return 'no process has this PSP';
  return open > 0 ? `open in ${open} of ${processes} processes` : `closed in ${processes === 1 ? 'the one process' : `all ${processes} processes`}`;
}

function Psp({ psp, hold, open }) {
  const state = PSP_STATES[psp.state];
  return html`<section class="psp-card panel" aria-label=${psp.psp}>
    <header><h2>${psp.psp}</h2><${Badge} tone=${state?.tone}>${state?.is ?? psp.state}<//></header>
    <dl class="facts">
      <div><dt>Success rate</dt><dd class="number">${rateWords(psp)}</dd></div>
      ${psp.waiting.count > 0 && html`<div><dt>Left out of it</dt><dd>${counted(psp.waiting.count, 'payment')} ${psp.waiting.count === 1 ? 'waits' : 'wait'} for it <${Money} of=${psp.waiting.money} most=${3} /></dd></div>`}
      <div><dt>Breaker</dt><dd>${breakers(psp)}</dd></div>
      ${psp.failed_in_a_row > 0 && html`<div><dt>Failed in a row</dt><dd>${countText(psp.failed_in_a_row)}</dd></div>`}
      ${psp.last_good_at && html`<div><dt>Last success</dt><dd><${When} at=${psp.last_good_at} /></dd></div>`}
      ${psp.last_trouble_at && html`<div><dt>Last trouble</dt><dd><${When} at=${psp.last_trouble_at} /></dd></div>`}
      ${psp.state === 'unwell' && psp.since && html`<div><dt>Unwell for</dt><dd><${Age} at=${psp.since} /></dd></div>`}
      ${hold && html`<div><dt>${hold.action === 'force' ? 'Forced' : 'Paused'}</dt><dd>by ${hold.by}: ${hold.reason}</dd></div>`}
    </dl>
    <div class="buttons">
      ${hold ? html`<${Action} kind="primary" onClick=${() => open({ ...hold, kind: 'psp', name: psp.psp, action: 'resume', was: hold.action })}>${hold.action === 'force' ? 'End the force' : 'Resume'} …<//>`
        : html`<${Action} onClick=${() => open({ kind: 'psp', name: psp.psp, action: 'pause', fixed: true })}>Pause …<//>
          <${Action} onClick=${() => open({ kind: 'psp', name: psp.psp, action: 'force', fixed: true })}>Force …<//>`}
    </div>
  </section>`;
}

function Holds({ holds, resume }) {
  const columns = [
    { label: 'What', cell: (hold) => html`<strong>${hold.kind === 'tier' ? `tier retry-${hold.name}` : `${hold.kind === 'psp' ? 'PSP' : hold.kind} ${hold.name}`}</strong>` },
    { label: 'State', cell: (hold) => html`<${Badge} tone="warning">${hold.action === 'force' ? 'forced' : 'paused'}<//>` },
    { label: 'By', cell: (hold) => hold.by },
    { label: 'Since', number: true, cell: (hold) => html`<${When} at=${hold.since} />` },
    { label: 'Until', number: true, cell: (hold) => (hold.until ? html`<${When} at=${hold.until} />` : 'it is resumed') },
    { label: 'Why', wide: true, cell: (hold) => hold.reason },
    { label: 'Action', cell: (hold) => html`<${Action} kind="small" aria-label=${`Resume ${hold.kind} ${hold.name}`} onClick=${() => resume(hold)}>Resume …<//>` },
  ];
  return html`<${Table} caption="What is paused or forced" columns=${columns} rows=${holds} rowKey=${(hold) => `${hold.kind} ${hold.name}`} />`;
}
