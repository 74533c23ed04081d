// SPDX-License-Identifier: Apache-2.0
import { moneyList } from '../lib/money.js';

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

/** One time axis for all series, as uPlot wants it; a moment without a point is a zero, for nothing was tried. */
export function aligned(series, value) {
  const times = [...new Set(series.flatMap((each) => each.points.map((point) => point.at)))].sort();
  const rows = series.map((each) => {
    const at = new Map(each.points.map((point) => [point.at, value(point)]));
    return times.map((time) => at.get(time) ?? 0);
  });
  return [times.map((time) => new Date(time).getTime() / 1_000), ...rows];
}
