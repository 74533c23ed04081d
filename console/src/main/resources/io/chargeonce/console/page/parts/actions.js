// SPDX-License-Identifier: Apache-2.0
import { html, useId } from '../lib/html.js';
import { whyNot } from '../lib/session.js';

/**
 * A button that changes something. Without the right it stays where it is, says why it does nothing, and can be focused.
 *
 * @param not another reason against it, besides the missing right
 */
export function Action({ right = 'operate', not, onClick, kind = '', busy, children, ...more }) {
  const id = useId();
  const why = whyNot(right) || not || '';
  return html`<span class="action">
    <button type="button" class=${kind} aria-disabled=${why || busy ? 'true' : undefined} aria-describedby=${why ? id : undefined}
            title=${why || undefined} onClick=${why || busy ? undefined : onClick} ...${more}>${busy ? 'One moment …' : children}</button>
    ${why && html`<span id=${id} class="for-readers">${why}</span>`}
  </span>`;
}

/** The reason for everyone to read, once beside a row of actions. */
export function WhyNot({ right = 'operate' }) {
  const why = whyNot(right);
  return why ? html`<p class="why-not">${why}</p>` : null;
}
