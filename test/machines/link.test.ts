// The life of a link: who is heard, and what brings a broken link back.

import t from 'tap';
import { link } from '../../machines/link.ts';
import { asking, patchOf, said } from './said.ts';

type Event = { readonly type: string; readonly iteration?: number | undefined };
type Row = readonly [what: string, record: object | undefined, event: Event, outcome: string];

const ask = asking(link);
const base = { id: 'l', iteration: 2, failedAt: undefined, isNamed: false, refusal: undefined };
const pending = { ...base, state: 'pending' };
const connected = { ...base, state: 'connected' };
const failed = { ...base, state: 'failed', failedAt: 1000 };
const duplicate = { ...failed, state: 'duplicate' };
const refused = { ...failed, state: 'refused', refusal: 'b a' };

const report = (iteration: number, isReachable = true, isRefresh = false) => ({
  type: 'report',
  iteration,
  isReachable,
  isRefresh,
  refusal: 'a b',
  fields: { protocol: 'tls' },
});

t.test('each state and event', async (t) => {
  const rows: readonly Row[] = [
    ['a new one', undefined, report(0), 'none -> connected'],
    ['a new one to a router that is away', undefined, report(0, false), 'none -> pending'],
    ['the destination arrives', pending, { type: 'arrive' }, 'pending -> connected'],
    ['it arrives once more', connected, { type: 'arrive' }, 'connected -> connected'],
    ['the destination departs', connected, { type: 'depart' }, 'connected -> pending'],
    ['it arrives at a broken one', failed, { type: 'arrive' }, 'failed -> failed'],
    ['reported again', connected, report(2), 'connected -> connected'],
    ['reported while away', connected, report(2, false), 'connected -> pending'],
    ['it breaks', connected, { type: 'fail', iteration: 2 }, 'connected -> failed'],
    ['it breaks while away', pending, { type: 'fail', iteration: 3 }, 'pending -> failed'],
    ['an older one broke', connected, { type: 'fail', iteration: 1 }, 'connected -> connected'],
    ['it breaks twice', failed, { type: 'fail', iteration: 2 }, 'failed -> failed'],
    ['a duplicate', connected, { type: 'duplicate', iteration: 2 }, 'connected -> duplicate'],
    ['a late report', failed, report(2), 'failed -> failed'],
    ['dialed again', failed, report(3), 'failed -> connected'],
    ['dialed again while away', duplicate, report(3, false), 'duplicate -> pending'],
    ['listed as alive', failed, report(2, true, true), 'failed -> connected'],
    ['an old list', failed, report(1, true, true), 'failed -> failed'],
    ['its time is over', { ...failed }, { type: 'lapse' }, 'failed -> failed'],
    ['removed', failed, { type: 'remove' }, 'failed -> (deleted)'],
    ['removed while connected', connected, { type: 'remove' }, 'connected -> (deleted)'],
  ];
  for (const [what, record, event, outcome] of rows)
    t.equal(said(ask(record, event)), outcome, what);
});

t.test('a fault without an iteration is of the present link', async (t) => {
  for (const iteration of [undefined, 2]) {
    t.equal(said(ask(connected, { type: 'fail', iteration })), 'connected -> failed');
    t.equal(said(ask(connected, { type: 'duplicate', iteration })), 'connected -> duplicate');
  }
});

t.test('a refused one comes back only by the router that has refused it', async (t) => {
  const refuse = (isByDest: boolean) => ({
    type: 'refuse',
    refusal: isByDest ? 'b a' : 'a b',
    isByDest,
  });
  const name = (isByDest: boolean, isReachable = true) => ({
    ...refuse(isByDest),
    type: 'name',
    isReachable,
  });
  const ownRefused = { ...refused, refusal: 'a b' };
  const rows: readonly Row[] = [
    ['refused', connected, refuse(true), 'connected -> refused'],
    ['refused while away', pending, refuse(false), 'pending -> refused'],
    ['broken before', failed, refuse(true), 'failed -> failed'],
    ['dialed again', refused, report(3, true, true), 'refused -> refused'],
    ['an old report', ownRefused, report(1), 'refused -> refused'],
    ['reported by the router that had refused it', ownRefused, report(2), 'refused -> connected'],
    ['the same, while the other is away', ownRefused, report(2, false), 'refused -> pending'],
    ['named by the other router', refused, name(false), 'refused -> refused'],
    ['named by the router that had refused it', refused, name(true), 'refused -> connected'],
    ['named, but not reachable', refused, name(true, false), 'refused -> pending'],
    ['named while it works', pending, name(true), 'pending -> connected'],
    ['a link is accepted', refused, { type: 'accept' }, 'refused -> failed'],
    ['told to be broken', refused, { type: 'fail', iteration: 2 }, 'refused -> refused'],
    ['told to be one too many', refused, { type: 'duplicate' }, 'refused -> refused'],
    ['removed', refused, { type: 'remove' }, 'refused -> (deleted)'],
  ];
  for (const [what, record, event, outcome] of rows)
    t.equal(said(ask(record, event)), outcome, what);
  t.same(patchOf(ask(ownRefused, refuse(true))), { failedAt: 0, refusal: 'b a' }, 'it outranks');
  t.same(patchOf(ask(refused, refuse(false))), {});
  t.equal(link.deadline?.at(refused), 301_000);
});

t.test('a broken one goes after 30 s, unless it was dialed again', async (t) => {
  const lapse = { type: 'lapse', now: 31_000 };
  t.equal(said(ask(failed, lapse)), 'failed -> (deleted)');
  t.equal(said(ask(duplicate, lapse)), 'duplicate -> (deleted)');
  t.equal(said(ask(failed, { ...lapse, now: 30_999 })), 'failed -> failed');
  t.same(patchOf(ask(failed, report(3))), { protocol: 'tls', iteration: 3, failedAt: undefined });
  t.equal(link.deadline?.at(failed), 31_000);
  t.equal(link.deadline?.at(connected), undefined);
});
