// SPDX-License-Identifier: Apache-2.0
import { html, useId } from '../lib/html.js';

/** One labelled field of a form. */
export function Field({ label, hint, value, set, type = 'text', multiline, choices, suggestions, unit, autofocus, ...more }) {
  const id = useId();
  const described = hint ? `${id}-hint` : undefined;
  const common = { id, value, 'aria-describedby': described, [choices ? 'onChange' : 'onInput']: (event) => set(event.currentTarget.value), ...more };
  // A browser focuses an autofocus field when its dialog opens.
  if (autofocus) common.autofocus = true;
  return html`<div class="field">
    <label for=${id}>${label}</label>
    <div class="input">
      ${choices
        ? html`<select ...${common}>${choices.map(([name, text]) => html`<option key=${name} value=${name}>${text}</option>`)}</select>`
        : multiline ? html`<textarea rows="2" ...${common}></textarea>`
        : html`<input type=${type} list=${suggestions?.length ? `${id}-list` : undefined} ...${common} />`}
      ${unit && html`<span class="unit">${unit}</span>`}
    </div>
    ${suggestions?.length > 0 && html`<datalist id=${`${id}-list`}>${suggestions.map((text) => html`<option key=${text} value=${text} />`)}</datalist>`}
    ${hint && html`<p class="hint" id=${described}>${hint}</p>`}
  </div>`;
}

/** Why an action was done; the audit log keeps it, so it is asked for first. */
export function Reason({ value, set, hint = 'Others see it, and the audit log keeps it.', ...more }) {
  return html`<${Field} label="Reason" value=${value} set=${set} multiline hint=${hint} required maxlength="500" ...${more} />`;
}
