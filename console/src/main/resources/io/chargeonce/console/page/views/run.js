// SPDX-License-Identifier: Apache-2.0
import { html, useEffect, useRef } from '../lib/html.js';
import { movedRuns } from '../lib/live.js';
import { useLoad } from '../lib/load.js';
import { countText } from '../lib/money.js';
import { newest } from '../lib/run.js';
import { useStore } from '../lib/store.js';
import { ASKED, KINDS, OUTCOMES, plain, RESULTS } from '../lib/words.js';
import { Exact, When } from '../parts/moments.js';
import { Loaded, ReadAt } from '../parts/states.js';
import { Amount, Money } from '../parts/sums.js';
import { Title } from '../parts/title.js';
import { AuditTable } from './audit-table.js';
import { Care, Standings } from './plan-frozen.js';
import { RunControls } from './run-controls.js';
import { RunProgress } from './run-progress.js';
import { RunBadge } from './runs.js';

/** One run: a frozen set, what moves, what came of it, and who did what. */
export function Run({ id }) {
  const read = useLoad(`/api/runs/${encodeURIComponent(id)}`);
  const moved = useStore(movedRuns).get(id);
  const audit = useLoad(`/api/audit?run=${encodeURIComponent(id)}`);
  const run = read.data && newest(read.data, read.askedAt, moved);
  // What was done is in the log when the state has changed.
  useEffect(() => {
    if (run) audit.reload();
  }, [run?.state, run?.approved_by]);
  // What re-entered the pipeline settles after the run has ended. A page that is only open does not ask for ever: that would keep the session.
  const asks = useRef(60);
  useEffect(() => {
    if (!['finished', 'cancelled', 'aborted'].includes(run?.state) || !(run.outcomes?.open.count + run.asked?.open.count > 0) || asks.current-- <= 0) return undefined;
    const again = setTimeout(read.reload, 2000);
    return () => clearTimeout(again);
  }, [read.at, run?.state]);
  return html`
    <${Title} text=${run ? `${KINDS[run.kind]?.does ?? 'Run'} of ${countText(run.items)}` : 'Run'} tab=${id}>
      ${run && html`<${RunBadge} run=${run} />`}<span class="id">${id}</span><${ReadAt} of=${read} />
    <//>
    <${Loaded} of=${read} what=${`the run ${id}`}>${() => html`<${RunPage} run=${run} audit=${audit} reload=${read.reload} />`}<//>`;
}

function RunPage({ run, audit, reload }) {
  return html`
    ${run.state === 'aborted' && html`<div class="notice critical" role="alert"><p><strong>The run aborted itself:</strong> ${run.verdict}</p>
      <p>${run.kind !== 'merge' ? 'Nothing more moves. Look at what it did, then resume it or cancel it.'
        : run.done < run.items ? 'Nothing more moves. Find out why they fail, then resume it or cancel it.' : 'All of it was sent. What died again is in the queue: find out why.'}</p></div>`}
    ${run.state === 'cancelled' && run.verdict && html`<p class="notice">Cancelled: ${run.verdict}. What had moved stays moved.</p>`}
    <${RunProgress} run=${run} />
    <${RunControls} run=${run} reload=${reload} />
    ${run.kind === 'settle' ? html`<${Finding} run=${run} />` : html`<div class="run-columns">
      <section class="panel" aria-labelledby="set-title">
        <header><h2 id="set-title">The frozen set</h2></header>
        <${Standings} kind=${run.kind} standings=${run.standings} evenStopped=${run.even_stopped} />
        <${Facts} run=${run} />
      </section>
      <section class="panel" aria-labelledby="result-title">
        <header><h2 id="result-title">What came of it</h2></header>
        <${Sums} sums=${run.fates} words=${RESULTS} none="Nothing has moved yet." />
        <${Outcomes} of=${run.outcomes} total=${run.outcomes.entered} what="that re-entered the pipeline" words=${OUTCOMES} />
        <${Outcomes} of=${run.asked} total=${run.asked.asked} what="about which the PSP was asked" words=${ASKED} />
        ${run.state !== 'planned' && html`<p class="links"><a href=${`/dead-letters?run=${run.run}${run.kind === 'purge' ? '&state=purged' : ''}`}>
          ${run.kind === 'purge' ? 'What it purged' : 'What of it is dead'}</a></p>`}
      </section>
    </div>`}
    <section class="panel" aria-labelledby="history-title">
      <header><h2 id="history-title">Who did what</h2></header>
      <${Loaded} of=${audit} what="the audit log">${(data) => html`<${AuditTable} lines=${data.items} withRun=${false} keys />`}<//>
    </section>`;
}

/** What a person found out about one payment whose outcome no PSP tells. */
function Finding({ run }) {
  return html`<section class="panel" aria-labelledby="finding-title">
    <header><h2 id="finding-title">What was found out</h2></header>
    <dl class="facts">
      <div><dt>Payment</dt><dd><a class="id" href=${`/payments/${encodeURIComponent(run.operation_id)}`}>${run.operation_id}</a> <${Amount} amount=${run.amount} currency=${run.currency} /></dd></div>
      <div><dt>Finding</dt><dd>${plain(run.verdict)}</dd></div>
      <div><dt>Evidence</dt><dd>${run.reason}</dd></div>
      <div><dt>Proposed</dt><dd><${Exact} at=${run.planned_at} /> by ${run.planned_by}</dd></div>
    </dl>
  </section>`;
}

function Facts({ run }) {
  return html`<dl class="facts">
    <div><dt>Planned</dt><dd><${Exact} at=${run.planned_at} /> by ${run.planned_by}</dd></div>
    ${run.reason && html`<div><dt>Reason</dt><dd>${run.reason}</dd></div>`}
    <div><dt>Money</dt><dd><${Money} of=${run.money} most=${Infinity} /></dd></div>
    <div><dt>Fingerprint</dt><dd><code>${run.fingerprint}</code></dd></div>
    ${run.approved_by && html`<div><dt>Approved</dt><dd>by ${run.approved_by}</dd></div>`}
    ${run.leader && html`<div><dt>Led by</dt><dd>${run.leader}</dd></div>`}
    ${run.ended_at && html`<div><dt>Ended</dt><dd><${When} at=${run.ended_at} /></dd></div>`}
    <div><dt>Care</dt><dd><${Care} run=${run} /></dd></div>
  </dl>`;
}

function Sums({ sums, words, none }) {
  const present = Object.entries(sums).filter(([, sum]) => sum.count > 0);
  if (present.length === 0) return html`<p class="nothing">${none}</p>`;
  return html`<ul class="sum-rows">${present.map(([name, sum]) => html`<li key=${name}>
    <span class="number">${countText(sum.count)}</span><span>${words[name] ?? plain(name)}</span><${Money} of=${sum.money} most=${Infinity} /></li>`)}</ul>`;
}

function Outcomes({ of, total, what, words }) {
  if (total.count === 0) return null;
  return html`<h3>Of ${countText(total.count)} ${what}</h3>
    <ul class="sum-rows">${Object.entries(words).filter(([name]) => of[name].count > 0).map(([name, is]) => html`<li key=${name}>
      <span class="number">${countText(of[name].count)}</span><span class=${name === 'failed_again' ? 'critical' : ''}>${is}</span><${Money} of=${of[name].money} most=${Infinity} /></li>`)}</ul>`;
}
