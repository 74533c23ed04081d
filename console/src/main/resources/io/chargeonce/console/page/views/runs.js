// SPDX-License-Identifier: Apache-2.0
import { html } from '../lib/html.js';
import { movedRuns } from '../lib/live.js';
import { useLoad } from '../lib/load.js';
import { countText, percentText } from '../lib/money.js';
import { dealtWith, isOver, newest, shareDone } from '../lib/run.js';
import { place, withQuery } from '../lib/router.js';
import { useStore } from '../lib/store.js';
import { KINDS, RUN_STATES, runState } from '../lib/words.js';
import { Badge } from '../parts/badge.js';
import { When } from '../parts/moments.js';
import { Bar } from '../parts/progress.js';
import { Empty, Loaded, ReadAt } from '../parts/states.js';
import { Money } from '../parts/sums.js';
import { Table } from '../parts/table.js';
import { Choice } from '../parts/tabs.js';
import { Title } from '../parts/title.js';

const SHOWN = { all: () => true, open: (run) => !isOver(run), approval: (run) => runState(run) === 'awaits' };

const COLUMNS = [
  { label: 'Run', cell: (run) => html`<span class="id">${run.run}</span>` },
  { label: 'What', cell: (run) => KINDS[run.kind]?.does ?? run.kind },
  { label: 'State', cell: (run) => html`<${RunBadge} run=${run} />` },
  { label: 'Progress', cell: (run) => html`<${Progress} run=${run} />` },
  { label: 'Items', number: true, cell: (run) => countText(run.items) },
  { label: 'Money', number: true, cell: (run) => html`<${Money} of=${run.money} />` },
  { label: 'By', cell: (run) => html`${run.planned_by}${run.approved_by ? html` <span class="none">approved by ${run.approved_by}</span>` : ''}` },
  { label: 'Why', wide: true, cell: (run) => html`<span class="message" title=${run.reason}>${run.verdict && run.state === 'aborted' ? run.verdict : run.reason ?? ''}</span>` },
  { label: 'Planned', number: true, cell: (run) => html`<${When} at=${run.planned_at} />` },
];

export function RunBadge({ run }) {
  const state = RUN_STATES[runState(run)];
  return html`<${Badge} tone=${state?.tone}>${state?.is ?? run.state}<//>`;
}

function Progress({ run }) {
  // The list has no counts for runs that have not moved since it was read.
  if (!run.fates) return html`<span class="none">${run.state === 'finished' ? 'done' : '–'}</span>`;
  return html`<span class="small-progress"><${Bar} label=${`Progress of ${run.run}`} value=${dealtWith(run)} max=${run.items} text=${percentText(shareDone(run))} />
    <span>${percentText(shareDone(run))}</span></span>`;
}

export function Runs() {
  const { query } = useStore(place);
  const shown = SHOWN[query.get('show')] ? query.get('show') : 'all';
  const list = useLoad('/api/runs');
  const moved = useStore(movedRuns);
  return html`
    <${Title} text="Runs">
      <${Choice} label="Which runs" current=${shown} choices=${[['all', 'All', withQuery({ show: null })], ['open', 'Not ended', withQuery({ show: 'open' })],
        ['approval', 'Awaiting approval', withQuery({ show: 'approval' })]]} />
      <${ReadAt} of=${list} />
    <//>
    <${Loaded} of=${list} what="the runs">${(data) => {
      const rows = data.items.map((run) => newest(run, list.askedAt, moved.get(run.run))).filter(SHOWN[shown]);
      return rows.length === 0 ? html`<${None} shown=${shown} />`
        : html`<${Table} caption="Runs, the newest first" columns=${COLUMNS} rows=${rows} rowKey=${(run) => run.run} href=${(run) => `/runs/${run.run}`} />`;
    }}<//>`;
}

function None({ shown }) {
  if (shown === 'approval') return html`<${Empty} title="No run waits for approval.">When a run is more than one person may do alone, it is listed here.<//>`;
  if (shown === 'open') return html`<${Empty} title="Every run has ended.">A new one begins with a selection among the <a href="/dead-letters">dead letters</a>.<//>`;
  return html`<${Empty} title="There has been no run yet.">A run is a merge, purge or restore of a frozen set. It begins with a selection among the <a href="/dead-letters">dead letters</a>.<//>`;
}
