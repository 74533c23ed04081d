// SPDX-License-Identifier: Apache-2.0
import { html } from '../lib/html.js';
import { AUDIT_FIELDS, filterOf, queryOf } from '../lib/filters.js';
import { useLoad } from '../lib/load.js';
import { place } from '../lib/router.js';
import { useStore } from '../lib/store.js';
import { Command } from '../parts/command.js';
import { FilterBar } from '../parts/filterbar.js';
import { Pager } from '../parts/pager.js';
import { Loaded, ReadAt } from '../parts/states.js';
import { Title } from '../parts/title.js';
import { AuditTable } from './audit-table.js';

const ACTIONS = ['dlq.merged', 'dlq.purged', 'dlq.restored', 'dlq.canceled', 'dlq.asked', 'dlq.run.planned', 'dlq.run.led',
  'dlq.run.approved', 'dlq.run.aborted', 'dlq.run.cancelled', 'dlq.retried_now', 'dlq.stopped', 'dlq.unmasked', 'dlq.edited',
  'dlq.imported', 'dlq.paused', 'dlq.forced', 'dlq.resumed', 'dlq.record.retried', 'dlq.record.dropped', 'dlq.bank_resend', 'dlq.bank_file_closed', 'dlq.bank_file_released', 'dlq.bank_line_closed',
  'dlq.bank_line_released'];

/** Who did what, from where and why. */
export function Audit() {
  const { query } = useStore(place);
  const cursor = query.get('cursor');
  const list = useLoad(`/api/audit?${queryOf(filterOf(query, AUDIT_FIELDS), { cursor })}`);
  return html`
    <${Title} text="Audit"><${ReadAt} of=${list} /><//>
    <${FilterBar} fields=${AUDIT_FIELDS} suggestions=${{ action: ACTIONS }} />
    <${Loaded} of=${list} what="the audit log">${(data) => html`
      <${AuditTable} lines=${data.items} keys />
      <${Pager} next=${data.next} cursor=${cursor} />
      <p class="hint after-list">Has the log been tampered with? Only a terminal that can read Kafka can say: <${Command} text="chargeonce dlq audit --verify" /></p>`}<//>`;
}
