// SPDX-License-Identifier: Apache-2.0
import { html, useRef } from '../lib/html.js';
import { useKeys } from '../lib/keys.js';

/**
 * A table for keyboard and mouse: j and k go through the rows, Enter opens, x selects. On a narrow screen a row becomes a card; the
 * roles keep it a table for screen readers.
 *
 * @param columns   {label, cell(row), number, wide}; the first one holds the link if there is one
 * @param href      where Enter leads; leave it out for rows that lead nowhere
 * @param selection {has(row), toggle(row), all, toggleAll()}; leave it out where nothing can be selected
 */
export function Table({ caption, columns, rows, rowKey, href, selection, keys = true, tone }) {
  const body = useRef(null);
  const move = (by) => {
    const stops = [...body.current.rows].map((row) => row.querySelector('a.row') ?? row);
    const at = stops.findIndex((stop) => stop.closest('tr').contains(document.activeElement));
    const next = stops[at < 0 ? (by > 0 ? 0 : stops.length - 1) : Math.max(0, Math.min(stops.length - 1, at + by))];
    next?.focus();
    next?.closest('tr').scrollIntoView({ block: 'nearest' });
  };
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    x: () => {
      const row = document.activeElement?.closest('tr');
      return body.current.contains(row) && Boolean(row.querySelector('input[type=checkbox]')?.click() ?? true);
    },
  }, keys && rows.length > 0);
  return html`<table role="table" class=${selection ? 'selectable' : ''}>
    <caption class="for-readers">${caption}</caption>
    <thead role="rowgroup"><tr role="row">
      ${selection && html`<th role="columnheader" scope="col" class="select">
        <input type="checkbox" checked=${selection.all} onChange=${selection.toggleAll} aria-label="Select all rows of this page" /></th>`}
      ${columns.map((column) => html`<th role="columnheader" scope="col" key=${column.label} class=${classOf(column)}>${column.label}</th>`)}
    </tr></thead>
    <tbody role="rowgroup" ref=${body}>
      ${rows.map((row) => html`<${Row} key=${rowKey(row)} ...${{ row, columns, href, selection, name: rowKey(row), tone: tone?.(row) }} />`)}
    </tbody>
  </table>`;
}

function Row({ row, columns, href, selection, name, tone }) {
  const selected = selection?.has(row);
  return html`<tr role="row" tabindex=${href ? undefined : -1} class=${`${selected ? 'selected' : ''} ${tone ?? ''}`}>
    ${selection && html`<td role="cell" class="select">
      <input type="checkbox" checked=${selected} onChange=${() => selection.toggle(row)} aria-label=${`Select ${name}`} /></td>`}
    ${columns.map((column, at) => html`<td role="cell" key=${column.label} class=${classOf(column)} data-label=${column.label}>
      <div class="cell">${at === 0 && href ? html`<a class="row" href=${href(row)}>${column.cell(row)}</a>` : column.cell(row)}</div></td>`)}
  </tr>`;
}

const classOf = ({ number, wide, slim }) => `${number ? 'number' : ''} ${wide ? 'wide' : ''} ${slim ? 'slim' : ''}`;
