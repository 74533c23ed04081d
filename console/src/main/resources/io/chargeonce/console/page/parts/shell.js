// SPDX-License-Identifier: Apache-2.0
// The frame around each view: where one can go, whether the numbers are live, and who is signed in.
import { html, useState } from '../lib/html.js';
import { remove } from '../lib/api.js';
import { useKeys } from '../lib/keys.js';
import { live, overview, stopLive } from '../lib/live.js';
import { countText } from '../lib/money.js';
import { place } from '../lib/router.js';
import { session } from '../lib/session.js';
import { useStore } from '../lib/store.js';
import { Announcements } from './announce.js';
import { Connection, CutBanner } from './connection.js';
import { Help } from './help.js';
import { Search } from './search.js';
import { switchTheme, themeName } from './theme.js';

const VIEWS = [
  ['/', 'Overview'],
  ['/dead-letters', 'Dead letters', (now) => now.dead?.count],
  ['/runs', 'Runs'],
  ['/waiting', 'Waiting', (now) => now.tiers?.reduce((all, tier) => all + tier.count, 0)],
  ['/overdue', 'Overdue', (now) => now.overdue?.count, true],
  ['/psps', 'PSPs and holds'],
  ['/bank', 'Bank files'],
  ['/rates', 'Rates'],
  ['/audit', 'Audit'],
];

export function Shell({ children }) {
  const { path } = useStore(place);
  const { person } = useStore(session);
  const now = useStore(overview);
  const { state } = useStore(live);
  const [menu, setMenu] = useState(false);
  const [help, setHelp] = useState(false);
  const [theme, setTheme] = useState(themeName());
  const changeTheme = () => setTheme(switchTheme());
  useKeys({ '?': () => setHelp(true), t: changeTheme });
  return html`<div class=${`frame ${state === 'cut' ? 'cut' : ''}`}>
    <a class="skip" href="#view">Skip to the content</a>
    <header class="top">
      <a class="brand" href="/"><img src="/icon.svg" alt="" width="20" height="20" /> Chargeonce</a>
      <button type="button" class="plain menu" aria-expanded=${String(menu)} aria-controls="views" onClick=${() => setMenu(!menu)}>Menu</button>
      <${Search} />
      <${Connection} />
      <div class="person">
        <button type="button" class="plain small" onClick=${changeTheme} title="Change the colours (t)">${theme}</button>
        <button type="button" class="plain small" onClick=${() => setHelp(true)} title="Keyboard shortcuts" aria-label="Keyboard shortcuts">?</button>
        <span class="who" title=${`Signed in until ${person.expires_at ?? 'you leave'}`}>${person.person}${person.role !== person.person && html` <span class="role">${person.role}</span>`}</span>
        <button type="button" class="plain small" onClick=${signOut}>Sign out</button>
      </div>
    </header>
    <nav id="views" class=${`views ${menu ? 'open' : ''}`} aria-label="Views" onClick=${() => setMenu(false)}>
      ${VIEWS.map(([href, text, count, alarming]) => {
        const number = now && count ? count(now) : undefined;
        return html`<a key=${href} href=${href} aria-current=${isAt(path, href) ? 'page' : undefined}>
          <span>${text}</span>${number > 0 && html`<span class=${`count ${alarming ? 'alarming' : ''}`}>${countText(number)}</span>`}</a>`;
      })}
    </nav>
    <main id="view"><${CutBanner} />${children}</main>
    <${Announcements} />
    ${help && html`<${Help} close=${() => setHelp(false)} />`}
  </div>`;
}

function isAt(path, href) {
  return href === '/' ? path === '/' : path === href || path.startsWith(`${href}/`);
}

async function signOut() {
  try {
    await remove('/api/session');
  } finally {
    stopLive();
    session.set({ state: 'out' });
  }
}
