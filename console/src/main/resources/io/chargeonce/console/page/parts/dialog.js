// SPDX-License-Identifier: Apache-2.0
import { html, useEffect, useId, useRef } from '../lib/html.js';

/** A modal dialog of the browser's own: it holds the focus, and Escape closes it. Mounted is open. */
export function Dialog({ title, close, wide, children }) {
  const element = useRef(null);
  const id = useId();
  useEffect(() => {
    const opener = document.activeElement;
    element.current.showModal();
    return () => {
      if (opener?.isConnected) opener.focus();
    };
  }, []);
  const cancel = (event) => {
    event.preventDefault();
    close();
  };
  return html`<dialog ref=${element} aria-labelledby=${id} class=${wide ? 'wide' : ''} onCancel=${cancel}>
    <header>
      <h2 id=${id}>${title}</h2>
      <button type="button" class="plain" onClick=${close}>Close <kbd aria-hidden="true">Esc</kbd></button>
    </header>
    ${children}
  </dialog>`;
}
