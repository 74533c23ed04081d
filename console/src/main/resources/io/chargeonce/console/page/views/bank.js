// SPDX-License-Identifier: Apache-2.0
import { html, useState } from '../lib/html.js';
import { post } from '../lib/api.js';
import { useLoad } from '../lib/load.js';
import { countText } from '../lib/money.js';
import { place, withQuery } from '../lib/router.js';
import { useStore } from '../lib/store.js';
import { say } from '../parts/announce.js';
import { Action, WhyNot } from '../parts/actions.js';
import { Badge } from '../parts/badge.js';
import { Reason } from '../parts/fields.js';
import { When } from '../parts/moments.js';
import { Empty, Loaded, ReadAt } from '../parts/states.js';
import { Amount, Money } from '../parts/sums.js';
import { Table } from '../parts/table.js';
import { Choice } from '../parts/tabs.js';
import { Title } from '../parts/title.js';
import { Asked } from './holds.js';

const words = (tag) => tag.replaceAll('_', ' ');

const FILES = [
  { label: 'File', cell: (file) => html`<span class="id">${file.message}</span>` },
  { label: 'Bank', cell: (file) => file.bank },
  { label: 'State', wide: true, cell: (file) => html`${words(file.state)} ${file.late && html`<${Badge} tone="critical" title="Ask the bank. Nothing is sent again by itself.">not answered in time<//>`}
      ${file.last_error && html`<span class="message" title=${file.last_error}>${file.last_error}</span>`}` },
  { label: 'Items', number: true, cell: (file) => countText(file.items) },
  { label: 'Money', number: true, cell: (file) => html`<${Amount} amount=${file.total} currency=${file.currency} />` },
  { label: 'Due', number: true, cell: (file) => file.due_on },
  { label: 'Sent', number: true, cell: (file) => (file.sent_at ? html`<${When} at=${file.sent_at} />` : html`<span class="none">–</span>`) },
];

const ITEMS = [
  { label: 'Payment', cell: (item) => html`<span class="id">${item.payment}</span>` },
  { label: 'Amount', number: true, cell: (item) => html`<${Amount} amount=${item.amount} currency=${item.currency} />` },
  { label: 'The bank says', wide: true, cell: (item) => item.said ?? html`<span class="none">nothing yet</span>` },
  { label: 'EndToEndId', cell: (item) => item.end_to_end_id },
];

/** Files for banks, what banks said about them, and what fits nothing. */
export function Bank() {
  const { query } = useStore(place);
  const open = query.get('open') ?? '';
  const shown = query.get('file');
  const list = useLoad(`/api/bank${open ? '?open=1' : ''}`);
  const file = useLoad(shown ? `/api/bank/files/${encodeURIComponent(shown)}` : null);
  const [dialog, setDialog] = useState(null);
  const done = () => {
    list.reload();
    if (shown) file.reload();
  };
  return html`
    <${Title} text="Bank files">
      <${Choice} label="Files" current=${open} choices=${[['', 'All', withQuery({ open: null })], ['1', 'Open', withQuery({ open: '1' })]]} />
      <${ReadAt} of=${list} />
    <//>
    <${WhyNot} />
    <${Loaded} of=${list} what="the files">${(data) => html`
      <${Unmatched} rows=${data.unmatched} money=${data.unmatched_money} decide=${setDialog} />
      <section class="panel" aria-labelledby="files-title">
        <header><h2 id="files-title">Our files</h2><${Money} of=${data.money} /></header>
        ${data.items.length === 0 ? html`<${Empty} title="There is no file.">Direct debits and their refunds go to a bank in files.<//>`
          : html`<${Table} caption="Our files, newest first" columns=${FILES} rows=${data.items} rowKey=${(one) => one.message}
              href=${(one) => withQuery({ file: one.id })} />`}
      </section>`}<//>
    ${shown && html`<${Loaded} of=${file} what="the file">${(data) => html`
      <section class="panel" aria-labelledby="file-title">
        <header><h2 id="file-title">${data.file}, ${words(data.state)}</h2><${Amount} amount=${data.total} currency=${data.currency} />
          <${Action} onClick=${() => setDialog({ file: data })}>Send again …<//></header>
        <${Table} caption=${`What is in ${data.file}`} columns=${ITEMS} rows=${data.of} keys=${false} rowKey=${(item) => item.end_to_end_id}
            href=${(item) => `/payments/${encodeURIComponent(item.payment)}`} />
        ${data.of.length < data.items && html`<p class="hint">The first ${countText(data.of.length)} of ${countText(data.items)}.</p>`}
      </section>`}<//>`}
    ${dialog && (dialog.file ? html`<${Resend} file=${dialog.file} close=${() => setDialog(null)} done=${done} />`
      : html`<${Decide} ...${dialog} close=${() => setDialog(null)} done=${done} />`)}`;
}

function Unmatched({ rows, money, decide }) {
  if (rows.length === 0) return null;
  const columns = [
    { label: 'What', cell: (row) => html`<strong>${row.id}</strong> ${words(row.what)}` },
    { label: 'Bank', cell: (row) => row.bank },
    { label: 'Amount', number: true, cell: (row) => html`<${Amount} amount=${row.amount} currency=${row.currency} />` },
    { label: 'Why', wide: true, cell: (row) => html`${row.why} ${row.end_to_end_id && html`<span class="message">${row.end_to_end_id}</span>`}` },
    { label: 'Day', number: true, cell: (row) => row.at },
    { label: 'Action', cell: (row) => html`<${Action} kind="small" aria-label=${`Close ${row.id}`} onClick=${() => decide({ row, decision: 'closed' })}>Close …<//>
        <${Action} kind="small" aria-label=${`Release ${row.id}`} onClick=${() => decide({ row, decision: 'released' })}>Release …<//>` },
  ];
  return html`<section class="panel" aria-labelledby="unmatched-title">
    <header><h2 id="unmatched-title">Fits nothing, or is set aside</h2><${Money} of=${money} /></header>
    <${Table} caption="What waits for a person" columns=${columns} rows=${rows} keys=${false} rowKey=${(row) => row.id} />
  </section>`;
}

function Resend({ file, close, done }) {
  const [reason, setReason] = useState('');
  const send = () => post(`/api/bank/files/${file.id}/resend`, { reason: reason.trim() });
  return html`<${Asked} title=${`Send ${file.file} again`} button="Send again" send=${send} ready=${reason.trim()} close=${close}
      done=${() => { say(`${file.file} goes to ${file.bank} again.`); done(); }}>
    <p>The same bytes with ${countText(file.items)} items of <${Amount} amount=${file.total} currency=${file.currency} /> go under the same message id. Ask the
      bank first: only a file that it has lost, and never answered, is sent again.</p>
    <${Reason} value=${reason} set=${setReason} autofocus />
  <//>`;
}

function Decide({ row, decision, close, done }) {
  const [reason, setReason] = useState('');
  const closes = decision === 'closed';
  const send = () => post(`/api/bank/unmatched/${row.id.replace(' ', '/')}`, { decision, reason: reason.trim() });
  return html`<${Asked} title=${`${closes ? 'Close' : 'Release'} ${row.id}`} button=${closes ? 'Close' : 'Release'} send=${send} ready=${reason.trim()}
      close=${close} done=${() => { say(`${row.id} is ${decision}.`); done(); }}>
    <p>${closes ? 'It leaves this list, and nothing follows from it.' : 'It is read again, with every check. That helps after a bug was mended, or when what contradicted it has changed.'}</p>
    <p>${row.why}</p>
    <${Reason} value=${reason} set=${setReason} autofocus />
  <//>`;
}
