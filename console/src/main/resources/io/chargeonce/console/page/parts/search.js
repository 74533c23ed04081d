// SPDX-License-Identifier: Apache-2.0
import { html, useEffect, useId, useRef, useState } from '../lib/html.js';
import { get } from '../lib/api.js';
import { useKeys } from '../lib/keys.js';
import { counted } from '../lib/money.js';
import { go } from '../lib/router.js';
import { plain } from '../lib/words.js';
import { When } from './moments.js';
import { Amount } from './sums.js';

const PAUSE_IN_TYPING = 250;

/** Finds payments by any of their names. Enter opens the only one; several are listed, and one is opened when a person has chosen it. */
export function Search() {
  const [text, setText] = useState('');
  const [answer, setAnswer] = useState(null);
  const [open, setOpen] = useState(false);
  const [chosen, setChosen] = useState(-1);
  const entered = useRef(false);
  const input = useRef(null);
  const list = useId();
  useKeys({ '/': () => input.current.focus() });
  const name = text.trim();
  // What was found for the text before means nothing any more, also if Enter comes before effects run.
  const found = answer?.name === name ? answer : null;
  useEffect(() => {
    if (name.length < 3) return undefined;
    const question = new AbortController();
    const timer = setTimeout(() => find(name, question.signal, setAnswer), PAUSE_IN_TYPING);
    return () => {
      clearTimeout(timer);
      question.abort();
    };
  }, [name]);

  const hits = found?.items ?? [];
  const at = hits.length === 1 ? 0 : chosen;
  const onInput = (event) => {
    setText(event.currentTarget.value);
    setChosen(-1);
    setOpen(true);
    entered.current = false;
  };
  const follow = (hit) => {
    setOpen(false);
    input.current.blur();
    go(`/payments/${encodeURIComponent(hit.payment_id)}`);
  };
  useEffect(() => {
    // Enter came before the answer.
    if (entered.current && hits.length === 1) follow(hits[0]);
  }, [found]);
  const onKey = (event) => {
    if (event.key === 'Escape') {
      setOpen(false);
      input.current.blur();
    } else if (event.key === 'Enter') {
      event.preventDefault();
      entered.current = !found;
      setOpen(true);
      if (hits[at]) follow(hits[at]);
    } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      setChosen(Math.max(0, Math.min(hits.length - 1, at + (event.key === 'ArrowDown' ? 1 : -1))));
    }
  };
  const shows = open && name.length >= 3;
  return html`<div class="search" role="search" onFocusOut=${(event) => event.currentTarget.contains(event.relatedTarget) || setOpen(false)}>
    <input ref=${input} type="search" role="combobox" aria-label="Find a payment by id, key, reference, PSP reference or customer"
           aria-expanded=${String(shows)} aria-controls=${list} aria-activedescendant=${shows && hits[at] ? `${list}-${at}` : undefined}
           placeholder="Payment, key, reference, customer" value=${text} autocomplete="off" spellcheck="false"
           onInput=${onInput} onFocus=${() => setOpen(true)} onKeyDown=${onKey} />
    <kbd aria-hidden="true">/</kbd>
    <div class="hits" hidden=${!shows || hits.length === 0}>
      ${hits.length > 1 && html`<p class="about">${hits.length < found.most ? `${counted(hits.length, 'payment')} have this name.` : `The newest ${found.most} with this name.`} Choose one.</p>`}
      <div id=${list} role="listbox" aria-label="Payments found">${hits.map((hit, index) => html`<div key=${hit.payment_id} id=${`${list}-${index}`} role="option" aria-selected=${String(index === at)}
          onMouseDown=${(event) => { event.preventDefault(); follow(hit); }}>
        <span class="id">${hit.payment_id}</span>
        <${Amount} amount=${hit.amount} currency=${hit.currency} />
        <span class="about">${[hit.kind !== 'charge' && plain(hit.kind), hit.merchant, plain(hit.state), `by ${plain(hit.matched)}`].filter(Boolean).join(' · ')}
          ${hit.accepted_at && html` · <${When} at=${hit.accepted_at} />`}</span>
      </div>`)}</div>
    </div>
    <div class="hits message" role="status" hidden=${!shows || hits.length > 0}>${shows && hits.length === 0 && inWords(found)}</div>
    <span class="for-readers" role="status">${shows && hits.length > 0 ? `${counted(hits.length, 'payment')} found` : ''}</span>
  </div>`;
}

async function find(name, signal, done) {
  try {
    done({ name, ...await get(`/api/find?q=${encodeURIComponent(name)}`, signal) });
  } catch (problem) {
    if (problem.name !== 'AbortError') done({ name, problem });
  }
}

function inWords(found) {
  if (!found) return 'Looking …';
  if (found.problem) return [found.problem.message, found.problem.next].filter(Boolean).join(' ');
  return 'No payment has this as its id, idempotency key, reference, PSP reference or customer. Names must be whole; check for a missing part.';
}
