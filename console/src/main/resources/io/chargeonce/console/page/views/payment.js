// SPDX-License-Identifier: Apache-2.0
import { html, useState } from '../lib/html.js';
import { queryOf } from '../lib/filters.js';
import { useLoad } from '../lib/load.js';
import { countText, sumOf } from '../lib/money.js';
import { plain, STANDINGS } from '../lib/words.js';
import { Action, WhyNot } from '../parts/actions.js';
import { Badge } from '../parts/badge.js';
import { Command } from '../parts/command.js';
import { Age, When } from '../parts/moments.js';
import { Loaded, ReadAt } from '../parts/states.js';
import { Amount } from '../parts/sums.js';
import { Title } from '../parts/title.js';
import { Unmask, useUnmasking } from '../parts/unmask.js';
import { Journey } from './payment-journey.js';
import { Timeline } from './payment-timeline.js';
import { CancelDialog } from './payment-cancel.js';
import { nextFor } from './payment-next.js';
import { PlanDialog } from './plan.js';

/** One payment: what to do, its whole life as the database has it, and its way through Kafka as the witness saw it. */
export function Payment({ id }) {
  const unmasking = useUnmasking();
  const read = useLoad(`/api/payments/${encodeURIComponent(id)}?${queryOf({ unmasked: unmasking.reason })}`);
  return html`
    <${Title} text="Payment" tab=${id}><span class="id">${id}</span><${ReadAt} of=${read} /><//>
    <${Loaded} of=${read} what=${`the payment ${id}`}>${(data) => html`<${PaymentPage} ...${{ id, data, unmasking, reload: read.reload }} />`}<//>`;
}

function PaymentPage({ id, data, unmasking, reload }) {
  const moments = data.why;
  const letters = data.dead_letters;
  const dead = letters.find((letter) => letter.state === 'dead');
  const purged = letters.find((letter) => letter.restorable_until && new Date(letter.restorable_until) > Date.now());
  return html`
    <${Next} ...${{ id, next: nextFor(id, moments, { payment: data.payment, dead, purged, holds: data.holds }), letter: dead ?? purged, reload,
      cancelable: data.payment?.may_be_canceled }} />
    <${Facts} payment=${data.payment} letter=${dead ?? letters[0]} />
    ${data.disputes.map((dispute) => html`<${Dispute} key=${dispute.id} dispute=${dispute} />`)}
    <div class="list-tools"><${Unmask} of=${unmasking} /></div>
    ${letters.map((letter) => html`<${Letter} key=${letter.dead_letter_id} letter=${letter} />`)}
    <section class="panel" aria-labelledby="why-title">
      <header><h2 id="why-title">What happened</h2><span class="none">as the database has it</span></header>
      <${Timeline} moments=${moments} />
    </section>
    <section class="panel" aria-labelledby="journey-title">
      <header><h2 id="journey-title">Its way through Kafka</h2><span class="none">as the witness saw it</span></header>
      <${Journey} hops=${data.journey} />
    </section>
    <p class="hint">The same in a terminal: <${Command} text=${`chargeonce dlq why ${id}`} /></p>`;
}

function Next({ id, next, letter, cancelable, reload }) {
  const [plan, setPlan] = useState(null);
  const [cancel, setCancel] = useState(false);
  const open = (kind) => setPlan({ kind, target: { ids: [letter.dead_letter_id] }, words: 'this payment', shown: sumOf([letter]) });
  return html`<section class=${`next ${next.tone}`} aria-labelledby="next-title">
    <div><h2 id="next-title">${next.title}</h2><p>${next.text}</p></div>
    ${next.command && html`<${Command} text=${next.command} />`}
    ${(next.actions?.length > 0 || cancelable) && html`<div class="buttons">
      ${next.actions?.includes('merge') && html`<${Action} kind="primary" onClick=${() => open('merge')}>Merge …<//>`}
      ${next.actions?.includes('restore') && html`<${Action} kind="primary" onClick=${() => open('restore')}>Restore …<//>`}
      ${next.actions?.includes('purge') && html`<${Action} kind="danger" onClick=${() => open('purge')}>Purge …<//>`}
      ${cancelable && html`<${Action} kind="danger" onClick=${() => setCancel(true)}>Cancel …<//>`}
    </div><${WhyNot} />`}
    ${next.link && html`<p><a href=${next.link.href}>${next.link.text}</a></p>`}
    ${plan && html`<${PlanDialog} ...${plan} close=${() => setPlan(null)} done=${reload} />`}
    ${cancel && html`<${CancelDialog} ...${{ id, close: () => setCancel(false), done: reload }} />`}
  </section>`;
}

/** Of a payment or refund; a record that cannot be read has neither amount nor state. */
function Facts({ payment, letter }) {
  if (!payment) return null;
  const facts = [['Merchant', payment.merchant], ['PSP', letter?.psp], ['Reference', letter?.operation?.reference],
    ['Attempts', countText(payment.attempts)], ['Generation', countText(payment.generation)]];
  return html`<dl class="facts across">
    <div><dt>Amount</dt><dd class="large"><${Amount} amount=${payment.amount} currency=${payment.currency} /></dd></div>
    <div><dt>State</dt><dd>${plain(payment.state)}${payment.canceling && ', to be canceled'}</dd></div>
    ${facts.filter(([, value]) => value).map(([label, value]) => html`<div key=${label}><dt>${label}</dt><dd>${value}</dd></div>`)}
    <div><dt>Accepted</dt><dd><${When} at=${payment.accepted_at} /></dd></div>
  </dl>`;
}

function Dispute({ dispute }) {
  return html`<section class="panel" aria-label="Dispute">
    <header><h2>Dispute</h2>
      <${Badge} tone=${dispute.due_by || dispute.funds === 'taken' ? 'warning' : 'quiet'}>${plain(dispute.stage)}<//>
      <span class="id">${dispute.id}</span><span class="none">at ${dispute.psp}</span></header>
    <dl class="facts">
      ${dispute.amount && html`<div><dt>Disputed</dt><dd><${Amount} amount=${dispute.amount} currency=${dispute.currency} /></dd></div>`}
      <div><dt>Funds</dt><dd>${plain(dispute.funds)}</dd></div>
      <div><dt>Reason</dt><dd>${dispute.reason}</dd></div>
      ${dispute.due_by && html`<div><dt>Answer by</dt><dd><${When} at=${dispute.due_by} /></dd></div>`}
    </dl>
  </section>`;
}

function Letter({ letter }) {
  return html`<section class="panel letter" aria-label="Dead letter">
    <header><h2>Dead letter</h2>
      <${Badge} tone=${letter.state !== 'dead' ? 'quiet' : 'warning'}>${plain(letter.state)}<//>
      <span class="id">${letter.dead_letter_id}</span>
      <span class="none">died <${Age} at=${letter.died_at} /> ago</span></header>
    <dl class="facts">
      <div><dt>Cause</dt><dd>${plain(letter.cause)}</dd></div>
      ${letter.message && html`<div><dt>Message</dt><dd class="message whole">${letter.message}</dd></div>`}
      <div><dt>Standing</dt><dd>${STANDINGS[letter.standing]?.is ?? plain(letter.standing)}. ${STANDINGS[letter.standing]?.why ?? ''}</dd></div>
      ${letter.source && html`<div><dt>Found at</dt><dd>${letter.source.topic}, partition ${letter.source.partition}, offset ${letter.source.offset}</dd></div>`}
    </dl>
  </section>`;
}
