// SPDX-License-Identifier: Apache-2.0
import { countText, moneyList, percentText } from '../lib/money.js';

/** The sum of each series; the one with most attempts comes first. */
export function totals(series) {
  return series.map((each) => {
    const succeeded = each.points.reduce((all, point) => all + point.succeeded, 0);
    const failed = each.points.reduce((all, point) => all + point.failed, 0);
    return { key: each.key, series: each, succeeded, failed, share: succeeded + failed === 0 ? null : failed / (succeeded + failed) };
  }).sort((a, b) => b.succeeded + b.failed - a.succeeded - a.failed);
}

export function moneyOf(series) {
  const sums = {};
  for (const point of series.points) {
    for (const { currency, amount } of moneyList(point.money)) sums[currency] = (sums[currency] ?? 0) + amount;
  }
  return sums;
}

/** Of one PSP. Only what has ended is in it. */
export function rateWords({ success_rate: rate, rate_of: of }) {
  return of > 0 ? `${percentText(rate)} of ${countText(of)} that ended succeeded` : 'nothing ended within 5 minutes';
}

/**
 * One time axis for all series, as uPlot wants it: each slice of the window. A slice without a point is a gap, for nothing is known of it.
 *
 * @param window {from, until, slice_seconds}
 */
export function aligned(series, value, { from, until, slice_seconds: slice }) {
  const times = [];
  for (let at = Date.parse(from) / 1_000; at <= Date.parse(until) / 1_000; at += slice) times.push(at);
  const rows = series.map((each) => {
    const at = new Map(each.points.map((point) => [Date.parse(point.at) / 1_000, value(point)]));
    return times.map((time) => at.get(time) ?? null);
  });
  return [times, ...rows];
}

/** Points with a gap on both sides: no line shows them. */
export function alone(row) {
  return [...row.keys()].filter((at) => row[at] !== null && (row[at - 1] ?? null) === null && (row[at + 1] ?? null) === null);
}
