// SPDX-License-Identifier: Apache-2.0
// Real paths, so that each view can be shared and the browser's own back button works.
import { store } from './store.js';

function here() {
  return { path: location.pathname, query: new URLSearchParams(location.search) };
}

export const place = store(here());

export function go(url, { replace = false } = {}) {
  if (url === location.pathname + location.search) return;
  history[replace ? 'replaceState' : 'pushState'](null, '', url);
  const before = place.get().path;
  place.set(here());
  if (place.get().path !== before) {
    scrollTo(0, 0);
    // A screen reader is told of the new view: its heading takes the focus.
    requestAnimationFrame(() => requestAnimationFrame(() => document.querySelector('main h1')?.focus({ preventScroll: true })));
  }
}

/** The same path with other parameters; empty ones are left out. */
export function withQuery(changes, { path = location.pathname, from = location.search } = {}) {
  const query = new URLSearchParams(from);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === null || value === '') query.delete(name);
    else query.set(name, value);
  }
  const text = query.toString();
  return text ? `${path}?${text}` : path;
}

/** A link of the server's advice is followed only within this page. */
export function isOurs(link) {
  return typeof link === 'string' && link.startsWith('/') && !link.startsWith('//') && !link.startsWith('/api/');
}

export function startRouter() {
  addEventListener('popstate', () => place.set(here()));
  addEventListener('click', (event) => {
    const link = event.target.closest?.('a[href]');
    if (!link || event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    if (link.origin !== location.origin || link.target || link.hasAttribute('download') || !isOurs(link.pathname)) return;
    if (link.hash && link.pathname === location.pathname) return;
    event.preventDefault();
    go(link.pathname + link.search);
  });
}
