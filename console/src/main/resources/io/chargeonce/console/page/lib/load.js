// SPDX-License-Identifier: Apache-2.0
import { useCallback, useEffect, useRef, useState } from './html.js';
import { get } from './api.js';
import { onReload } from './keys.js';

/**
 * Reads a document of the API, and again when its address changes or a reload is asked for. What was read stays shown meanwhile.
 * An answer that arrives after a newer question is dropped.
 *
 * @param path null for nothing to read
 */
export function useLoad(path) {
  const [state, setState] = useState({ path, loading: path !== null });
  const asked = useRef(null);
  const load = useCallback(async () => {
    asked.current?.abort();
    if (path === null) return;
    const question = new AbortController();
    const askedAt = Date.now();
    asked.current = question;
    setState((before) => ({ ...(before.path === path ? before : {}), path, loading: true }));
    try {
      const data = await get(path, question.signal);
      if (asked.current === question) setState({ path, data, askedAt, at: Date.now(), loading: false });
    } catch (problem) {
      if (problem.name !== 'AbortError' && asked.current === question) {
        setState((before) => ({ ...before, path, problem, loading: false }));
      }
    }
  }, [path]);
  useEffect(() => {
    load();
    return () => asked.current?.abort();
  }, [load]);
  useEffect(() => onReload(load), [load]);
  // While a new address is read, the answer of the old one is not shown as if it were the new one's.
  const current = state.path === path ? state : { loading: path !== null };
  return { ...current, reload: load };
}
