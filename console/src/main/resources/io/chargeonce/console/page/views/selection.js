// SPDX-License-Identifier: Apache-2.0
import { useEffect, useState } from '../lib/html.js';
import { sumOf } from '../lib/money.js';

/**
 * What is selected of a list: rows, also of several pages, or everything that the filter shows. Another filter selects nothing.
 *
 * @param of   the filter as text
 * @param page the rows that are shown
 */
export function useSelection(of, page, total) {
  const [rows, setRows] = useState(new Map());
  const [whole, setWhole] = useState(false);
  const id = (row) => row.dead_letter_id ?? row.operation_id;
  const clear = () => {
    setRows(new Map());
    setWhole(false);
  };
  useEffect(clear, [of]);
  const all = page.length > 0 && (whole || page.every((row) => rows.has(id(row))));
  return {
    whole,
    all,
    clear,
    ids: [...rows.keys()],
    rows: [...rows.values()],
    sum: whole ? total : sumOf([...rows.values()]),
    isEmpty: !whole && rows.size === 0,
    has: (row) => whole || rows.has(id(row)),
    selectWhole: () => setWhole(true),
    toggle(row) {
      setWhole(false);
      setRows((before) => {
        // To leave one out of the whole is to choose among the rows of this page.
        const next = whole ? new Map(page.map((each) => [id(each), each])) : new Map(before);
        if (!next.delete(id(row))) next.set(id(row), row);
        return next;
      });
    },
    toggleAll() {
      const next = new Map(whole ? [] : rows);
      page.forEach((row) => (all ? next.delete(id(row)) : next.set(id(row), row)));
      setWhole(false);
      setRows(next);
    },
  };
}
