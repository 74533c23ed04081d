// SPDX-License-Identifier: Apache-2.0
// Nothing yet, nothing at all, or something wrong: each in words, with what to do next.
import { html } from '../lib/html.js';
import { absolute, relative, useNow } from '../lib/time.js';

export function Loading({ what }) {
  return html`<p class="state" role="status"><span class="spinner" aria-hidden="true"></span>Reading ${what} …</p>`;
}

export function Empty({ title, children }) {
  return html`<div class="state empty"><p class="title">${title}</p>${children && html`<p>${children}</p>`}</div>`;
}

export function Failure({ problem, retry }) {
  return html`<div class="state failure" role="alert">
    <p class="title">${problem.message}</p>
    ${problem.next && html`<p>${problem.next}</p>`}
    ${retry && html`<button type="button" onClick=${retry}>Try again</button>`}
  </div>`;
}

/** What a view that reads one document shows: the document, or why not. */
export function Loaded({ of, what, children }) {
  if (of.data !== undefined) {
    return html`${of.problem && html`<${Failure} problem=${of.problem} retry=${of.reload} />`}${children(of.data)}`;
  }
  return of.problem ? html`<${Failure} problem=${of.problem} retry=${of.reload} />` : html`<${Loading} what=${what} />`;
}

/** Lists do not change under the reader's hands: they say when they were read. */
export function ReadAt({ of }) {
  const now = useNow();
  if (!of.at) return null;
  return html`<span class="read-at">
    <span title=${absolute(of.at)}>${of.loading ? 'Reading …' : `Read ${relative(of.at, now)}`}</span>
    <button type="button" class="plain small" onClick=${of.reload} title="Read again (r)">Reload</button>
  </span>`;
}
