// The life of an authorization request: whose login counts, which factors are owed, and which code
// is worth tokens.

import t from 'tap';
import { authRequest } from '../../machines/auth-request.ts';
import { asking, patchOf, said } from './said.ts';

type Row = readonly [what: string, record: object | undefined, event: object, outcome: string];

const ask = asking(authRequest);

function rows(title: string, all: readonly Row[]): void {
  t.test(title, async (t) => {
    for (const [what, record, event, outcome] of all) {
      t.equal(said(ask(record, event as { readonly type: string })), outcome, what);
    }
  });
}

const created = {
  id: 'r',
  state: 'created',
  expiresAt: 600_000,
  identityId: '',
  authenticatedAt: undefined,
  factors: [],
  owed: [],
  failures: 0,
  codeHash: '',
  codeUntil: 0,
};
const ann = { identityId: 'ann', authenticatedAt: 5, factors: ['password'] };
const owing = { ...created, ...ann, state: 'factorOwed', owed: ['totp', 'ejs:s'] };
const complete = { ...created, ...ann, state: 'complete' };
const coded = { ...complete, codeHash: 'c', codeUntil: 60_000 };

const logIn = (identityId: string, demanded: readonly string[] = [], factor = 'password') => ({
  type: 'logIn',
  identityId,
  factors: [factor],
  demanded,
  fields: { authenticatorId: 'a' },
});
const pass = (factor: string) => ({ type: 'passFactor', factor });
const fail = (failuresMax: number) => ({ type: 'failFactor', failuresMax });
const exchange = (codeHash: string, isOfRequest = true, now = 0) => ({
  type: 'exchange',
  codeHash,
  isOfRequest,
  now,
});
const issueCode = { type: 'issueCode', codeHash: 'd', codeUntil: 70_000 };

rows('logins', [
  ['authorize', undefined, { type: 'authorize', fields: {} }, 'none -> created'],
  ['all factors are given', created, logIn('ann'), 'created -> complete'],
  [
    'the factor of the login is demanded',
    created,
    logIn('ann', ['password']),
    'created -> complete',
  ],
  ['another one is demanded', created, logIn('ann', ['totp']), 'created -> factorOwed'],
  ['the same identity once more', owing, logIn('ann', ['totp']), 'factorOwed -> factorOwed'],
  ['it owes nothing now', owing, logIn('ann'), 'factorOwed -> complete'],
  ['another identity', owing, logIn('bob'), 'factorOwed -> (deleted)'],
  ['another identity at the end', complete, logIn('bob'), 'complete -> (deleted)'],
  ['the policy demands more now', complete, logIn('ann', ['totp']), 'complete -> factorOwed'],
  ['a wrong password', created, fail(5), 'created -> created'],
  ['one too many', { ...created, failures: 4 }, fail(5), 'created -> (deleted)'],
]);

rows('further factors', [
  ['before the login', created, pass('totp'), 'created refuses UNAUTHORIZED'],
  ['one of two', owing, pass('totp'), 'factorOwed -> factorOwed'],
  ['the last one', { ...owing, owed: ['totp'] }, pass('totp'), 'factorOwed -> complete'],
  ['one that nobody asked for', owing, pass('ejs:t'), 'factorOwed refuses UNAUTHORIZED'],
  ['one more than needed', complete, pass('totp'), 'complete -> complete'],
  ['a wrong code', owing, fail(5), 'factorOwed -> factorOwed'],
  ['one too many', { ...owing, failures: 4 }, fail(5), 'factorOwed -> (deleted)'],
]);

rows('codes', [
  ['before the login', created, issueCode, 'created refuses UNAUTHORIZED'],
  ['while a factor is owed', owing, issueCode, 'factorOwed refuses UNAUTHORIZED'],
  ['when all is given', complete, issueCode, 'complete -> complete'],
  ['exchanged', coded, exchange('c'), 'complete -> (deleted)'],
  ['by another client', coded, exchange('c', false), 'complete -> (deleted)'],
  ['without a code', complete, exchange(''), 'complete -> (deleted)'],
]);

t.test('of all exchanges one gives tokens', async (t) => {
  const endOf = (record: object, event: ReturnType<typeof exchange>) => {
    const decision = ask(record, event);
    return decision.kind === 'moved' ? decision.state : decision.kind;
  };
  t.equal(endOf(coded, exchange('c', true, 59_999)), 'exchanged');
  t.equal(endOf(coded, exchange('c', true, 60_000)), 'failed', 'too late');
  t.equal(endOf(coded, exchange('c', false)), 'failed', 'not of the request');
  t.equal(endOf(coded, exchange('b')), 'failed', 'a code before the last one');
  t.equal(endOf(complete, exchange('')), 'failed', 'no code was issued');
  t.equal(endOf(owing, exchange('c')), 'failed');
  t.equal(endOf(created, exchange('c')), 'failed');
});

t.test('what the events leave', async (t) => {
  t.same(patchOf(ask(created, { ...logIn('ann', ['totp']), now: 7 })), {
    authenticatorId: 'a',
    identityId: 'ann',
    factors: ['password'],
    owed: ['totp'],
    authenticatedAt: 7,
  });
  t.match(patchOf(ask(owing, { ...logIn('ann', ['totp'], 'cert'), now: 7 })), {
    factors: ['password', 'cert'],
    authenticatedAt: 5,
  });
  t.same(patchOf(ask(owing, pass('totp'))), { factors: ['password', 'totp'], owed: ['ejs:s'] });
  t.same(patchOf(ask(owing, fail(5))), { failures: 1 });
  t.same(patchOf(ask(coded, issueCode)), { codeHash: 'd', codeUntil: 70_000 });
});

t.test('it ends by itself', async (t) => {
  t.equal(authRequest.deadline?.at(coded), 600_000);
  for (const record of [created, owing, coded]) {
    const { state } = record;
    t.equal(said(ask(record, { type: 'expire', now: 599_999 })), `${state} -> ${state}`);
    t.equal(said(ask(record, { type: 'expire', now: 600_000 })), `${state} -> (deleted)`);
    t.equal(said(ask(record, { type: 'revoke' })), `${state} -> (deleted)`);
  }
});
