// SPDX-License-Identifier: Apache-2.0
import { html, useEffect, useRef, useState } from '../lib/html.js';
import { filterOf, forgetFilter, queryOf, saveFilter, savedFilters } from '../lib/filters.js';
import { go, place } from '../lib/router.js';
import { useStore } from '../lib/store.js';
import { useKeys } from '../lib/keys.js';
import { counted } from '../lib/money.js';
import { Field } from './fields.js';
import { Fold } from './fold.js';

/**
 * The filter of a list. It lives in the address, so it can be shared; applying it is a step that the back button undoes.
 *
 * @param keep        other parameters of the address that stay, such as the grouping
 * @param suggestions by field's name, values that exist
 */
export function FilterBar({ fields, keep = [], suggestions = {}, canSave = false }) {
  const { path, query } = useStore(place);
  const applied = filterOf(query, fields);
  const address = queryOf(applied);
  const [draft, setDraft] = useState(applied);
  const [more, setMore] = useState(false);
  const form = useRef(null);
  useEffect(() => setDraft(applied), [address]);
  useKeys({ f: () => form.current.querySelector('input, select')?.focus() });

  const kept = Object.fromEntries(keep.map((name) => [name, query.get(name)]));
  const apply = (filter) => go([path, queryOf(kept, filter)].filter(Boolean).join('?'));
  const submit = (event) => {
    event.preventDefault();
    apply(draft);
  };
  const change = (name, value, now) => {
    const next = { ...draft, [name]: value };
    setDraft(next);
    if (now) apply(next);
  };
  const shown = fields.filter((field) => field.first || more || applied[field.name]);
  const set = Object.keys(applied).length;
  return html`<${Fold} title=${set > 0 ? `Filter: ${counted(set, 'field')} set` : 'Filter'}><form class="filters" role="search" aria-label="Filter the list" ref=${form} onSubmit=${submit}>
    <div class="filter-fields">
      ${shown.map((field) => html`<${FilterField} key=${field.name} ...${{ field, value: draft[field.name] ?? '', change, suggestions: suggestions[field.name] }} />`)}
      <div class="filter-buttons">
        <button type="submit">Apply</button>
        ${address && html`<button type="button" class="plain" onClick=${() => apply({})}>Clear</button>`}
        ${fields.some((field) => !field.first) && html`<button type="button" class="plain" aria-expanded=${String(more)} onClick=${() => setMore(!more)}>
          ${more ? 'Fewer fields' : 'More fields'}</button>`}
      </div>
    </div>
    ${canSave && html`<${Saved} ...${{ address, apply }} />`}
  </form><//>`;
}

function FilterField({ field, value, change, suggestions }) {
  const { name, label, hint, upper, number, choices, size } = field;
  return html`<div class=${`filter ${size ?? ''} ${value ? 'set' : ''}`}>
    <${Field} label=${label} value=${value} placeholder=${choices ? undefined : hint} suggestions=${suggestions}
      choices=${choices && [['', 'any'], ...choices]} inputmode=${number ? 'numeric' : undefined} autocomplete="off" spellcheck="false"
      set=${(text) => change(name, upper ? text.toUpperCase() : text, Boolean(choices))} />
  </div>`;
}

function Saved({ address, apply }) {
  const saved = useStore(savedFilters);
  const [name, setName] = useState('');
  const names = Object.keys(saved).sort();
  if (names.length === 0 && !address) return null;
  const isSaved = names.some((each) => saved[each] === address);
  const save = () => {
    if (!name.trim()) return;
    saveFilter(name.trim(), address);
    setName('');
  };
  const onKey = (event) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    save();
  };
  return html`<div class="saved-filters">
    ${names.length > 0 && html`<span class="label">Saved</span>`}
    ${names.map((each) => html`<span class=${`chip ${saved[each] === address ? 'current' : ''}`} key=${each}>
      <button type="button" class="plain small" aria-pressed=${String(saved[each] === address)}
              onClick=${() => apply(Object.fromEntries(new URLSearchParams(saved[each])))}>${each}</button>
      <button type="button" class="plain small" aria-label=${`Forget the filter ${each}`} onClick=${() => forgetFilter(each)}>×</button>
    </span>`)}
    ${address && !isSaved && html`<span class="save-filter">
      <input type="text" aria-label="Name for this filter" placeholder="Name this filter" value=${name} maxlength="40"
             onInput=${(event) => setName(event.currentTarget.value)} onKeyDown=${onKey} />
      <button type="button" class="plain small" onClick=${save}>Save</button>
    </span>`}
  </div>`;
}
