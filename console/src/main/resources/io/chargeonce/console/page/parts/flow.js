// SPDX-License-Identifier: Apache-2.0
// The way of the payments as a picture: what came in, what is where, what came out. The table below it says the same in words.
import { html } from '../lib/html.js';
import { counted, countText, moneyList, moneyText } from '../lib/money.js';
import { layout, NODE } from './flow-layout.js';
import { useNarrow } from './fold.js';

/** Whether the witness has read everything, and sees everything. */
export const isLive = (witness) => String(witness?.state).toLowerCase() === 'live' && !witness.problem;

/**
 * What one box shows, from all that is known of a stage. Payments and refunds that were accepted or are settled are counted each for
 * themselves; what is in between waits as one or the other. A record that never became one stands in the queue's box by itself.
 */
export function boxesOf({ flow = [], tiers = [], dead, overdue, witness }) {
  // A witness that has not read everything yet knows less than there is.
  const stages = byName(isLive(witness) ? flow : []);
  const inAll = { says: isLive(witness) ? 'in all' : 'not known yet' };
  const letters = moneyList(dead?.money).reduce((all, sum) => all + sum.count, 0);
  const box = (name, more) => ({ name, ...stages.get(name), ...more });
  const waiting = tiers.map((tier) => {
    const name = `retry-${tier.tier}`;
    return box(name, { count: tier.count, says: 'waiting', money: tier.money, href: `/waiting?tier=${tier.tier}`,
      held: tier.held, late: tier.late });
  });
  const accepted = box('accepted', inAll);
  const settled = box('settled', inAll);
  return {
    accepted: { ...accepted, counts: 'payment', count: accepted.in, money: accepted.inMoney },
    requests: { ...box('requests', { says: isLive(witness) ? 'in flight' : 'not known yet' }), count: stages.get('requests')?.inFlight, money: stages.get('requests')?.inFlightMoney,
      late: overdue?.count, href: overdue?.count > 0 ? '/overdue' : undefined },
    tiers: waiting,
    dlq: box('dlq', { count: dead && letters, money: dead?.money, says: 'dead', href: '/dead-letters', tone: dead?.count > 0 ? 'warning' : '',
      records: dead && dead.count - letters }),
    settled: { ...settled, counts: 'payment', count: settled.in, money: settled.inMoney },
  };
}

/** A stage has a row for each kind and currency; counts add up, money of several currencies does not. */
export function byName(flow) {
  const stages = new Map();
  for (const row of flow) {
    const stage = stages.get(row.name) ?? { name: row.name, in: 0, refunds: 0, inFlight: 0, inMoney: [], inFlightMoney: [] };
    if (row.kind === 'refund') stage.refunds += row.in;
    else stage.in += row.in;
    stage.inFlight += row.in_flight;
    stage.differs ||= Boolean(row.differs_since);
    if (row.currency) {
      if (row.kind !== 'refund') add(stage.inMoney, row.currency, row.in_money, row.in);
      add(stage.inFlightMoney, row.currency, row.in_flight_money, row.in_flight);
    }
    stages.set(row.name, stage);
  }
  return stages;
}

function add(money, currency, amount, count) {
  let sum = money.find((one) => one.currency === currency);
  if (!sum) money.push(sum = { currency, amount: 0, count: 0 });
  sum.amount += amount;
  sum.count += count;
}

function moneyLine(money) {
  const sums = moneyList(money).filter((sum) => sum.amount !== 0);
  if (sums.length === 0) return '';
  return moneyText(sums[0].amount, sums[0].currency) + (sums.length > 1 ? ` + ${sums.length - 1}` : '');
}

function marks(box) {
  return [
    box.held && ['paused', 'warning'],
    box.late > 0 && [`${countText(box.late)} late`, 'critical'],
    box.counts && box.refunds > 0 && [`+ ${counted(box.refunds, 'refund')}`, ''],
    box.records > 0 && [`+ ${counted(box.records, 'record')}`, 'warning'],
    box.differs && ['does not add up', 'critical'],
  ].filter(Boolean);
}

function Box({ box, x, y }) {
  const of = box.counts ? counted(box.count, 'payment') : counted(box.count, 'payment or refund', 'payments and refunds');
  const title = `${box.name}: ${of} ${box.says ?? ''}. ${moneyList(box.money).map((s) => moneyText(s.amount, s.currency)).join(', ')}`;
  const drawn = html`<g transform=${`translate(${x} ${y})`} class=${`box ${box.tone ?? ''} ${box.count > 0 ? '' : 'idle'}`}>
    <title>${title}</title>
    <rect width=${NODE.width} height=${NODE.height} rx="6" />
    <text x="12" y="20" class="name">${box.name}</text>
    <text x="12" y="44" class="number">${countText(box.count)}</text>
    ${box.says && html`<text x=${NODE.width - 12} y="44" class="says" text-anchor="end">${box.says}</text>`}
    <text x="12" y="63" class="sum">${moneyLine(box.money)}</text>
    ${marks(box).slice(0, 2).map(([text, tone], at) => html`<text key=${text} x=${NODE.width - 12} y=${20 + at * 43} class=${`mark ${tone}`} text-anchor="end">${text}</text>`)}
  </g>`;
  return box.href ? html`<a href=${box.href}>${drawn}</a>` : drawn;
}

export function Flow({ of }) {
  const narrow = useNarrow();
  const { width, height, boxes, lines } = layout(boxesOf(of), narrow);
  return html`<svg class="flow" viewBox=${`0 0 ${width} ${height}`} role="group" aria-label="The way of the payments, with counts and money">
    <defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0.8 L7 4 L0 7.2 z" /></marker></defs>
    ${lines.map(({ path, dashed }) => html`<path key=${path} d=${path} class=${`line ${dashed ? 'dashed' : ''}`} marker-end="url(#arrow)" />`)}
    ${boxes.map(({ box, x, y }) => html`<${Box} key=${box.name} box=${box} x=${x} y=${y} />`)}
  </svg>`;
}
