// SPDX-License-Identifier: Apache-2.0
import { html, useEffect, useState } from '../lib/html.js';
import { post } from '../lib/api.js';
import { session, signedIn } from '../lib/session.js';
import { useStore } from '../lib/store.js';

/** One field for a token LOGIN:PASSWORD. The form is such that a password manager offers to keep it. */
export function SignIn() {
  const { ended } = useStore(session);
  const [token, setToken] = useState('');
  const [problem, setProblem] = useState(null);
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    document.title = 'Sign in · Chargeonce console';
  }, []);
  const submit = async (event) => {
    event.preventDefault();
    setBusy(true);
    setProblem(null);
    try {
      signedIn(await post('/api/session', { token: token.trim() }));
    } catch (refused) {
      setProblem(refused);
      setBusy(false);
    }
  };
  return html`<main class="sign-in">
    <form onSubmit=${submit} action="/" method="post">
      <h1><img src="/icon.svg" alt="" width="28" height="28" /> Chargeonce console</h1>
      ${ended && !problem && html`<p class="notice warning">Your session has ended. Sign in to go on where you were.</p>`}
      <input type="text" name="username" autocomplete="username" value=${token.split(':')[0]} hidden readonly />
      <label for="token">Sign-in token</label>
      <input id="token" name="password" type="password" autocomplete="current-password" required autofocus spellcheck="false"
             aria-describedby="token-hint" aria-invalid=${problem ? 'true' : undefined} value=${token}
             onInput=${(event) => setToken(event.currentTarget.value)} />
      <p class="hint" id="token-hint">Your login and password of the database, with a colon between them: <code>alice:secret</code></p>
      ${problem && html`<div class="notice critical" role="alert"><p><strong>${problem.message}</strong></p>${problem.next && html`<p>${problem.next}</p>`}</div>`}
      <button type="submit" class="primary" aria-disabled=${busy ? 'true' : undefined}>${busy ? 'Signing in …' : 'Sign in'}</button>
      <p class="hint">You may do here what your login may do with <code>chargeonce dlq</code>, and no more. What you change is in the audit log under your name.</p>
    </form>
  </main>`;
}
