// SPDX-License-Identifier: Apache-2.0
import { html } from '../lib/html.js';
import { absolute, age, relative, useNow } from '../lib/time.js';

/** "3 min ago"; the exact time is its title. */
export function When({ at }) {
  const now = useNow();
  return at ? html`<time datetime=${at} title=${absolute(at)}>${relative(at, now)}</time>` : html`<span class="none">–</span>`;
}

/** "for 3 min". */
export function Age({ at }) {
  const now = useNow();
  return at ? html`<time datetime=${at} title=${absolute(at)}>${age(at, now)}</time>` : html`<span class="none">–</span>`;
}

export function Exact({ at }) {
  const now = useNow();
  return at ? html`<time datetime=${at} title=${relative(at, now)}>${absolute(at)}</time>` : html`<span class="none">–</span>`;
}
