// SPDX-License-Identifier: Apache-2.0
import { html } from '../lib/html.js';
import { moneyText } from '../lib/money.js';
import { absolute, clock, milliseconds, relative } from '../lib/time.js';
import { plain } from '../lib/words.js';
import { Empty } from '../parts/states.js';

const because = (cause) => (cause ? `: ${plain(cause)}` : '');

/** The words of one moment, and whether it is good, bad or neither. */
function inWords(moment) {
  switch (moment.what) {
    case 'accepted': return { text: `Accepted from ${moment.merchant}`, detail: moment.idempotency_key && `idempotency key ${moment.idempotency_key}`, tone: 'accent' };
    case 'sent': return { text: `Attempt ${moment.attempt} sent to ${moment.psp}`, detail: `key ${moment.psp_key}, valid until ${absolute(moment.key_valid_until)}` };
    case 'heard': return heard(moment);
    case 'scheduled': return { text: `Waits in ${moment.tier > 0 ? `retry-${moment.tier}` : 'no tier'}${because(moment.cause)}`, detail: `due ${absolute(moment.due_at)}, ${relative(moment.due_at)}` };
    case 'parked': return { text: `Parked in retry-${moment.tier}, no attempt counted${because(moment.cause)}`, detail: `due ${absolute(moment.due_at)}${moment.times > 1 ? `, ${moment.times} times so far` : ''}` };
    case 'died': return { text: `Died${because(moment.cause)}`, detail: moment.message, tone: 'critical' };
    case 'receipt': return { text: `Receipt of the ${moment.kind} ${plain(moment.state)}${because(moment.error)}`, detail: moment.receipt_id, tone: { sent: 'good', dead: 'critical' }[moment.state] };
    default: return moment.actor ? deed(moment) : gaveBack(moment);
  }
}

function heard({ attempt, psp, source, outcome, cause, detail, psp_reference: reference }) {
  const how = { call: `${psp} answered`, webhook: `${psp} reported`, hand: 'a person found out' }[source] ?? `${psp} said when asked`;
  const good = ['charged', 'captured', 'succeeded'].includes(outcome);
  return {
    text: `Attempt ${attempt}: ${how}: ${plain(outcome)}${because(cause)}`,
    detail: [detail, reference && `reference ${reference}`].filter(Boolean).join(', '),
    tone: good ? 'good' : outcome === 'unknown' ? 'warning' : '',
  };
}

function deed({ what, actor, reason, run }) {
  const done = plain(what).replace('dlq.', '').replace('.', ' ');
  return { text: `${done[0].toUpperCase()}${done.slice(1)} by ${actor}`, detail: reason, run, tone: 'accent' };
}

function gaveBack({ what, operation_id: id, amount, currency, state }) {
  return { text: `${plain(what)}${currency ? ` of ${moneyText(amount, currency)}` : ''}${state ? `, ${plain(state)}` : ''}`, detail: id };
}

export function Timeline({ moments }) {
  if (moments.length === 0) return html`<${Empty} title="The database knows nothing of it.">It may have been forgotten after its retention, or the id is not whole.<//>`;
  let day = '';
  return html`<ol class="timeline">${moments.map((moment, at) => {
    const { text, detail, run, tone } = inWords(moment);
    const gap = at === 0 ? '' : `+${milliseconds(Math.max(0, new Date(moment.at) - new Date(moments[at - 1].at)))}`;
    const today = moment.at.slice(0, 10);
    const newDay = today !== day;
    day = today;
    return html`${newDay && html`<li class="day" key=${today}>${today}</li>`}
      <li key=${`${moment.at} ${moment.what} ${at}`} class=${tone ?? ''}>
        <time datetime=${moment.at} title=${`${absolute(moment.at)}, ${relative(moment.at)}`}>${clock(moment.at)}</time>
        <span class="gap">${gap}</span>
        <div><p class="text">${text}${run && html` in <a href=${`/runs/${run}`}>${run}</a>`}</p>${detail && html`<p class="detail">${detail}</p>`}</div>
      </li>`;
  })}</ol>`;
}
