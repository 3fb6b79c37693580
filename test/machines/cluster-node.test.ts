// The life of a node of a cluster, state by state.

import t from 'tap';
import { clusterNode } from '../../machines/cluster-node.ts';
import { asking, patchOf, said } from './said.ts';

const states = ['recovering', 'following', 'standing', 'leading', 'isolated', 'halted'] as const;
const events = {
  start: {},
  follow: {},
  stand: {},
  withdraw: { reason: 'another' },
  lead: { term: 4 },
  loseContact: { reason: 'silence' },
  regainContact: {},
  halt: { reason: 'fork' },
  end: { reason: 'fenced' },
} as const;

/** State → event → next state; what is not named is not handled. */
const table: Readonly<Record<(typeof states)[number], Readonly<Record<string, string>>>> = {
  recovering: { follow: 'following', halt: 'halted', end: '(deleted)' },
  following: { stand: 'standing', halt: 'halted', end: '(deleted)' },
  standing: { withdraw: 'following', lead: 'leading', halt: 'halted', end: '(deleted)' },
  leading: { loseContact: 'isolated', halt: 'halted', end: '(deleted)' },
  isolated: { regainContact: 'leading', halt: 'halted', end: '(deleted)' },
  halted: { halt: 'halted', end: '(deleted)' },
};

const ask = asking(clusterNode);
const node = { id: 'n', term: 3, reason: 'before' };

t.test('each state and event', async (t) => {
  t.equal(said(ask(undefined, { type: 'start' })), 'none -> recovering');
  for (const state of states) {
    for (const [type, fields] of Object.entries(events)) {
      const next = table[state][type];
      const outcome = said(ask({ ...node, state }, { type, ...fields }));
      t.equal(outcome, next === undefined ? `${state} ignores it` : `${state} -> ${next}`, type);
    }
  }
});

t.test('it remembers its term and why it is in trouble', async (t) => {
  const after = (state: string, type: keyof typeof events) =>
    patchOf(ask({ ...node, state }, { type, ...events[type] }));
  t.same(after('standing', 'lead'), { term: 4 });
  t.same(after('standing', 'withdraw'), { reason: 'another' });
  t.same(after('following', 'stand'), { reason: '' });
  t.same(after('leading', 'loseContact'), { reason: 'silence' });
  t.same(after('isolated', 'regainContact'), { reason: '' });
  t.same(after('leading', 'halt'), { reason: 'fork' });
  t.same(after('halted', 'halt'), {}, 'the first reason stays');
});
