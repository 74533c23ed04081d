// SPDX-License-Identifier: Apache-2.0
// A filter is what stands in the address: the same names as the command line's options.
import { kept, store } from './store.js';
import { STANDINGS } from './words.js';

/** The fields of dead letters. The first few are always shown. */
export const DEAD_LETTER_FIELDS = [
  { name: 'cause', label: 'Cause', first: true },
  { name: 'psp', label: 'PSP', first: true, size: 'small' },
  { name: 'merchant', label: 'Merchant', first: true },
  { name: 'currency', label: 'Currency', first: true, size: 'small', upper: true, hint: 'EUR' },
  { name: 'standing', label: 'Standing', first: true, choices: Object.entries(STANDINGS).map(([tag, { is }]) => [tag, is]) },
  { name: 'older-than', label: 'Older than', hint: '2h, 5d', size: 'small' },
  { name: 'newer-than', label: 'Newer than', hint: '1h', size: 'small' },
  { name: 'since', label: 'Died since', hint: '2026-11-22T10:00Z' },
  { name: 'until', label: 'Died before', hint: '2026-11-23' },
  { name: 'min-amount', label: 'Least amount', hint: 'minor units: 1299', number: true },
  { name: 'max-amount', label: 'Most amount', hint: 'minor units: 1299', number: true },
  { name: 'text', label: 'Text in the message' },
  { name: 'reference', label: 'Reference' },
  { name: 'customer', label: 'Customer' },
  { name: 'key', label: 'Idempotency key' },
  { name: 'psp-reference', label: 'PSP reference' },
  { name: 'payment-method', label: 'Payment method' },
  { name: 'tier', label: 'Last tier', number: true, size: 'small' },
  { name: 'generation', label: 'Generation', number: true, size: 'small' },
  { name: 'run', label: 'Run', hint: 'run_0123456789' },
  { name: 'id', label: 'Dead letter' },
];

export const AUDIT_FIELDS = [
  { name: 'by', label: 'Login', first: true },
  { name: 'action', label: 'Action', first: true, hint: 'dlq.merged' },
  { name: 'run', label: 'Run', first: true, hint: 'run_0123456789' },
  { name: 'newer-than', label: 'Newer than', first: true, size: 'small', hint: '30d' },
];

export const WAITING_FIELDS = [
  { name: 'cause', label: 'Cause', first: true },
  { name: 'psp', label: 'PSP', first: true, size: 'small' },
  { name: 'merchant', label: 'Merchant', first: true },
  { name: 'currency', label: 'Currency', first: true, size: 'small', upper: true, hint: 'EUR' },
];

/** The filter that the address holds: only known names, only what is not empty. */
export function filterOf(query, fields) {
  const filter = {};
  for (const { name } of fields) {
    const value = query.get(name)?.trim();
    if (value) filter[name] = value;
  }
  return filter;
}

export function queryOf(...parts) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(Object.assign({}, ...parts))) {
    if (value !== undefined && value !== null && value !== '') query.set(name, value);
  }
  return query.toString();
}

export function filterWords(filter, fields) {
  const words = fields.filter(({ name }) => filter[name]).map(({ name, label }) => `${label.toLowerCase()} ${filter[name]}`);
  return words.length === 0 ? 'everything' : words.join(', ');
}

export const savedFilters = store(kept.read('filters', {}));

export function saveFilter(name, query) {
  savedFilters.set((saved) => ({ ...saved, [name]: query }));
  kept.write('filters', savedFilters.get());
}

export function forgetFilter(name) {
  savedFilters.set(({ [name]: gone, ...rest }) => rest);
  kept.write('filters', savedFilters.get());
}
