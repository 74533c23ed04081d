// SPDX-License-Identifier: Apache-2.0
// Light, dark, or as the system says. theme.js in the page's head applies it before the first paint.
const ORDER = ['auto', 'light', 'dark'];
const NAMES = { auto: 'Auto', light: 'Light', dark: 'Dark' };

function chosen() {
  return document.documentElement.dataset.theme ?? 'auto';
}

export function themeName() {
  return NAMES[chosen()];
}

export function switchTheme() {
  const next = ORDER[(ORDER.indexOf(chosen()) + 1) % ORDER.length];
  if (next === 'auto') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = next;
  try {
    // Bare text, for theme.js reads it before any module is there.
    localStorage.setItem('chargeonce.theme', next);
  } catch (storageIsOff) {
    // It lasts until the page is left.
  }
  dispatchEvent(new Event('themechange'));
  return NAMES[next];
}
