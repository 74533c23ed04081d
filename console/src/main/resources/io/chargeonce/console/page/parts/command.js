// SPDX-License-Identifier: Apache-2.0
import { html, useState } from '../lib/html.js';
import { say } from './announce.js';

/** A command for the terminal, and a button that copies it. */
export function Command({ text }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
      say('The command is copied.');
      setTimeout(() => setCopied(false), 2_000);
    } catch (notAllowed) {
      say('The browser does not allow copying. Select the command and copy it by hand.');
    }
  };
  return html`<span class="command">
    <code>${text}</code>
    <button type="button" class="plain small" onClick=${copy} aria-label=${`Copy the command ${text}`}>${copied ? 'Copied' : 'Copy'}</button>
  </span>`;
}
