// SPDX-License-Identifier: Apache-2.0
import { html, render, useEffect } from './lib/html.js';
import { get } from './lib/api.js';
import { startKeys } from './lib/keys.js';
import { goLive, stopLive } from './lib/live.js';
import { place, startRouter } from './lib/router.js';
import { session, signedIn } from './lib/session.js';
import { useStore } from './lib/store.js';
import { Shell } from './parts/shell.js';
import { Failure, Loading } from './parts/states.js';
import { Audit } from './views/audit.js';
import { Bank } from './views/bank.js';
import { Conservation } from './views/conservation.js';
import { DeadLetters } from './views/dead-letters.js';
import { Missing } from './views/missing.js';
import { Overdue } from './views/overdue.js';
import { Overview } from './views/overview.js';
import { Payment } from './views/payment.js';
import { Psps } from './views/psps.js';
import { Rates } from './views/rates.js';
import { Run } from './views/run.js';
import { Runs } from './views/runs.js';
import { SignIn } from './views/signin.js';
import { Waiting } from './views/waiting.js';

const VIEWS = {
  '/': Overview, '/dead-letters': DeadLetters, '/runs': Runs, '/waiting': Waiting, '/overdue': Overdue, '/psps': Psps, '/rates': Rates,
  '/bank': Bank, '/audit': Audit, '/conservation': Conservation,
};

function viewOf(path) {
  const [, kind, id] = path.match(/^\/(runs|payments)\/([^/]+)$/) ?? [];
  if (id) return html`<${kind === 'runs' ? Run : Payment} key=${path} id=${decodeURIComponent(id)} />`;
  const View = VIEWS[path.length > 1 ? path.replace(/\/$/, '') : path] ?? Missing;
  return html`<${View} key=${path} />`;
}

async function whoAmI() {
  session.set({ state: 'asking' });
  try {
    signedIn(await get('/api/session'));
  } catch (problem) {
    session.set(problem.status === 401 ? { state: 'out' } : { state: 'asking', problem });
  }
}

function App() {
  const { state, problem } = useStore(session);
  const { path } = useStore(place);
  useEffect(() => {
    if (state === 'in') goLive();
    else stopLive();
  }, [state]);
  if (state === 'out') return html`<${SignIn} />`;
  if (state === 'asking') {
    return html`<main class="sign-in">${problem ? html`<${Failure} problem=${problem} retry=${whoAmI} />` : html`<${Loading} what="who you are" />`}</main>`;
  }
  return html`<${Shell}>${viewOf(path)}<//>`;
}

startRouter();
startKeys();
render(html`<${App} />`, document.getElementById('app'));
whoAmI();
