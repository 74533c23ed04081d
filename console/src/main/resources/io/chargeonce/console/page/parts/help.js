// SPDX-License-Identifier: Apache-2.0
import { html } from '../lib/html.js';
import { shortcutsOn, switchShortcuts } from '../lib/keys.js';
import { useStore } from '../lib/store.js';
import { Dialog } from './dialog.js';

const SHORTCUTS = [
  ['Anywhere', [['/', 'Find a payment'], ['r', 'Read the view again'], ['t', 'Change the colours'], ['?', 'This list'], ['Esc', 'Close']]],
  ['Go to', [['g o', 'Overview'], ['g d', 'Dead letters'], ['g r', 'Runs'], ['g w', 'Waiting'], ['g v', 'Overdue'],
    ['g p', 'PSPs and holds'], ['g b', 'Bank files'], ['g l', 'Rates'], ['g a', 'Audit']]],
  ['In a list', [['j', 'Next row'], ['k', 'Row before'], ['Enter', 'Open the row'], ['x', 'Select the row'], ['f', 'Go to the filter']]],
  ['Dead letters', [['m', 'Merge what is selected'], ['p', 'Purge what is selected'], ['e', 'Select everything that the filter shows']]],
];

export function Help({ close }) {
  const on = useStore(shortcutsOn);
  return html`<${Dialog} title="Keyboard shortcuts" close=${close} wide>
    <div class="shortcuts">
      ${SHORTCUTS.map(([title, keys]) => html`<section key=${title}>
        <h3>${title}</h3>
        <dl>${keys.map(([key, what]) => html`<div key=${key}><dt>${key.split(' ').map((part) => html`<kbd key=${part}>${part}</kbd>`)}</dt><dd>${what}</dd></div>`)}</dl>
      </section>`)}
    </div>
    <label class="check"><input type="checkbox" checked=${on} onChange=${(event) => switchShortcuts(event.currentTarget.checked)} />
      Shortcuts of one key are on</label>
    <p class="hint">The same work in a terminal: <code>chargeonce dlq --help</code>.</p>
  <//>`;
}
