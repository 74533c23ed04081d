// SPDX-License-Identifier: Apache-2.0
// Runs before the first paint, so that a chosen theme does not flash. No module, for modules run after it.
try {
  const chosen = localStorage.getItem('chargeonce.theme');
  if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen;
} catch (storageIsOff) {
  // The system's own theme is used.
}
