// SPDX-License-Identifier: Apache-2.0
// From "these" to a started run in two steps: how careful, then the frozen set as the database has it.
import { html, useState } from '../lib/html.js';
import { get, post } from '../lib/api.js';
import { queryOf } from '../lib/filters.js';
import { go } from '../lib/router.js';
import { KINDS } from '../lib/words.js';
import { Dialog } from '../parts/dialog.js';
import { say } from '../parts/announce.js';
import { Frozen } from './plan-frozen.js';
import { Changed, Terms, USUAL } from './plan-terms.js';

/**
 * @param kind   merge, purge or restore
 * @param target {filter} or {ids}
 * @param words  the target for a person
 * @param shown  the sum that the person saw: the server refuses any other set
 * @param standings its sums by standing, if they are known
 */
export function PlanDialog({ kind, target, words, shown, standings: shownStandings, evenStopped, close, done }) {
  const [terms, setTerms] = useState({ reason: '', ...(kind === 'merge' ? USUAL : {}) });
  const [expected, setExpected] = useState(shown);
  const [standings, setStandings] = useState(shownStandings);
  const [run, setRun] = useState(null);
  const [changed, setChanged] = useState(null);
  const [problem, setProblem] = useState(null);
  const [busy, setBusy] = useState('');

  const doing = async (what, work) => {
    setBusy(what);
    setProblem(null);
    try {
      await work();
    } catch (refused) {
      if (refused.status === 409 && !run) await lookAgain(refused);
      else setProblem(refused);
    }
    setBusy('');
  };
  /** The set is not what was shown any more: what is it now? */
  const lookAgain = async (refused) => {
    try {
      const list = target.ids ? {} : await get(`/api/dead-letters?${queryOf(target.filter, { state: kind === 'restore' ? 'purged' : '', limit: 1 })}`);
      setChanged({ before: expected, now: list.total, message: refused.message });
      if (list.total) {
        setExpected(list.total);
        setStandings(list.standings);
      } else setProblem(refused);
    } catch (unreadable) {
      setProblem(unreadable);
    }
  };
  const freeze = () => doing('freeze', async () => {
    setRun(await post('/api/runs', { kind, ...target, ...asNumbers(terms), expect: expected }));
    setChanged(null);
  });
  const start = () => doing('start', async () => {
    await post(`/api/runs/${run.run}/start`, { fingerprint: run.fingerprint });
    say(`${run.run} has started.`);
    leave();
  });
  const drop = () => doing('drop', async () => {
    await post(`/api/runs/${run.run}/cancel`);
    say(`${run.run} is dropped. Nothing has moved.`);
    close();
    done();
  });
  const leave = () => {
    close();
    done();
    go(`/runs/${run.run}`);
  };
  const title = run ? `${KINDS[kind].does}: look at the frozen set` : `${KINDS[kind].does} ${words}`;
  return html`<${Dialog} title=${title} close=${close} wide>
    ${changed && html`<${Changed} ...${changed} />`}
    ${problem && html`<div class="notice critical" role="alert"><p><strong>${problem.message}</strong></p>${problem.next && html`<p>${problem.next}</p>`}</div>`}
    ${run ? html`<${Frozen} ...${{ kind, run, busy, start, drop, leave }} />`
      : html`<${Terms} ...${{ kind, expected, standings, evenStopped, terms, set: (name, value) => setTerms({ ...terms, [name]: value }), busy, freeze, close }} />`}
  <//>`;
}

function asNumbers({ reason, ...numbers }) {
  const given = Object.entries(numbers).filter(([, value]) => value !== '').map(([name, value]) => [name, Number(value)]);
  return { reason: reason.trim(), ...Object.fromEntries(given) };
}
