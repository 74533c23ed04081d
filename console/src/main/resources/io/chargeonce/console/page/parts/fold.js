// SPDX-License-Identifier: Apache-2.0
import { html, useEffect, useState } from '../lib/html.js';

const NARROW = '(max-width: 720px)';

export function useNarrow() {
  const [narrow, setNarrow] = useState(matchMedia(NARROW).matches);
  useEffect(() => {
    const query = matchMedia(NARROW);
    const change = () => setNarrow(query.matches);
    query.addEventListener('change', change);
    return () => query.removeEventListener('change', change);
  }, []);
  return narrow;
}

/** What stands beside a list; on a narrow screen it is folded into its title, so that the list comes first. */
export function Fold({ title, children }) {
  const narrow = useNarrow();
  return narrow ? html`<details class="fold"><summary>${title}</summary>${children}</details>` : children;
}
