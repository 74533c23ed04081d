// SPDX-License-Identifier: Apache-2.0
// Amounts are integer minor units everywhere. Only here do they become text.

import { session } from './session.js';

const LANGUAGE = 'en';
const formats = new Map();

/** As the server says: browsers know other numbers than ISO 4217, each version its own. */
function decimalsOf(currency) {
  return session.get().person?.decimals[currency] ?? 2;
}

function grouped(digits) {
  if (!formats.has(digits)) {
    formats.set(digits, new Intl.NumberFormat(LANGUAGE, { minimumFractionDigits: digits, maximumFractionDigits: digits }));
  }
  return formats.get(digits);
}

/** 1299, EUR → "12.99". */
export function amountText(minorUnits, currency) {
  const digits = decimalsOf(currency);
  return grouped(digits).format(minorUnits / 10 ** digits);
}

export function moneyText(minorUnits, currency) {
  return `${amountText(minorUnits, currency)} ${currency}`;
}

/** The sums of the API: a list of {currency, amount, count}, or the CLI's {EUR: 1299}. The currency of most payments comes first. */
export function moneyList(money) {
  if (!money) return [];
  const list = Array.isArray(money) ? money : Object.entries(money).map(([currency, amount]) => ({ currency, amount }));
  return [...list].sort((a, b) => (b.count ?? 0) - (a.count ?? 0) || a.currency.localeCompare(b.currency));
}

export function moneyWords(money) {
  return moneyList(money).map((sum) => moneyText(sum.amount, sum.currency)).join(', ');
}

/** Sums of rows that have amount and currency each. */
export function sumOf(rows) {
  const sums = new Map();
  for (const { amount, currency } of rows) {
    if (!currency) continue;
    const sum = sums.get(currency) ?? { currency, amount: 0, count: 0 };
    sums.set(currency, { currency, amount: sum.amount + amount, count: sum.count + 1 });
  }
  return { count: rows.length, money: moneyList([...sums.values()]) };
}

const COUNT = new Intl.NumberFormat(LANGUAGE);

export function countText(count) {
  return count === undefined || count === null ? '–' : COUNT.format(count);
}

/** "1 payment", "2 payments". */
export function counted(count, one, many = `${one}s`) {
  return `${countText(count)} ${count === 1 ? one : many}`;
}

export function percentText(share) {
  if (share === undefined || share === null) return '–';
  const fine = share > 0 && share < 0.1 || share > 0.9 && share < 1;
  return `${(share * 100).toFixed(fine ? 1 : 0)} %`;
}
