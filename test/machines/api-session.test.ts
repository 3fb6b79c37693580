// The life of an API session (behaviour/api-sessions, behaviour/mfa).

import t from 'tap';
import { apiSession } from '../../machines/api-session.ts';
import { asking, patchOf, said } from './said.ts';

const ask = asking(apiSession);
const fields = { identityId: 'i1', token: 'secret' };
const neverSeen = {
  mfaPassedAt: undefined,
  wokenAt: undefined,
  unlockedAt: undefined,
  secondFactorUntil: undefined,
};
const partial = {
  id: 's',
  state: 'partial',
  isMfaRequired: true,
  isMfaComplete: false,
  ...neverSeen,
};
const full = { ...partial, state: 'full', isMfaRequired: false };

t.test('none: authenticate, no secondary factor required -> fully authenticated', async (t) => {
  const event = { type: 'authenticate', now: 5, fields, mfaEnrolled: false };
  const decision = ask(undefined, { ...event, secondFactorRequired: false });
  t.equal(said(decision), 'none -> full');
  t.same(patchOf(decision), {
    ...fields,
    isMfaRequired: false,
    isMfaComplete: false,
    lastActivityAt: 5,
    ...neverSeen,
  });
});

t.test('none: authenticate, secondary factor required -> partially authenticated', async (t) => {
  const event = { type: 'authenticate', now: 5, fields, secondFactorRequired: true };
  const decision = ask(undefined, { ...event, mfaEnrolled: true });
  t.equal(said(decision), 'none -> partial');
  t.match(patchOf(decision), { token: 'secret', isMfaRequired: true, isMfaComplete: false });
  t.match(patchOf(decision), neverSeen, 'a new endpoint has passed nothing');
  t.match(
    patchOf(ask(undefined, { ...event, mfaEnrolled: false })),
    { isMfaRequired: false },
    'a policy alone does not set the flag (behaviour/api-sessions#flags)',
  );
});

t.test('partial: complete MFA with a valid code -> fully authenticated', async (t) => {
  const event = { type: 'completeSecondFactor', factor: 'totp', secondFactorRequired: false };
  t.equal(said(ask(partial, event)), 'partial -> full');
  t.same(patchOf(ask(partial, { ...event, now: 7 })), { isMfaComplete: true, mfaPassedAt: 7 });
});

t.test('partial: complete with a valid secondary JWT -> full, no code remembered', async (t) => {
  const shown = { type: 'completeSecondFactor', factor: 'jwt', secondFactorUntil: 50 };
  const event = { ...shown, secondFactorRequired: false };
  t.equal(said(ask(partial, event)), 'partial -> full');
  t.same(patchOf(ask(partial, event)), { isMfaComplete: true, secondFactorUntil: 50 });
  const one = { ...shown, secondFactorRequired: true };
  t.equal(said(ask(partial, one)), 'partial -> partial', 'a code is owed as well');
  t.same(patchOf(ask(partial, one)), {});
});

t.test('none: a secondary JWT that comes with the login -> full', async (t) => {
  const event = { type: 'authenticate', now: 5, fields, mfaEnrolled: false };
  const shown = { ...event, secondFactorRequired: false, secondFactorUntil: 50 };
  t.equal(said(ask(undefined, shown)), 'none -> full');
  t.match(patchOf(ask(undefined, shown)), { isMfaComplete: true, secondFactorUntil: 50 });
});

t.test('full: of several secondary JWTs the one counts that expires last', async (t) => {
  const event = { type: 'completeSecondFactor', factor: 'jwt', secondFactorRequired: false };
  const shown = { ...full, isMfaComplete: true, secondFactorUntil: 50 };
  for (const [at, counts] of [
    [80, 80],
    [20, 50],
  ]) {
    const decision = ask(shown, { ...event, secondFactorUntil: at });
    t.equal(said(decision), 'full -> full');
    t.match(patchOf(decision), { secondFactorUntil: counts });
  }
});

t.test('full: the secondary JWT expires -> partial, unless nothing is owed any more', async (t) => {
  const event = { type: 'expireSecondaryJwt', now: 50, secondFactorRequired: true };
  const shown = { ...full, isMfaComplete: true, secondFactorUntil: 50 };
  const forgotten = { isMfaComplete: false, secondFactorUntil: undefined };
  t.equal(said(ask(shown, event)), 'full -> partial');
  t.same(patchOf(ask(shown, event)), forgotten);
  const stays = { ...event, secondFactorRequired: false };
  t.equal(said(ask(shown, stays)), 'full -> full');
  t.same(patchOf(ask(shown, stays)), forgotten);
  t.equal(said(ask(shown, { ...event, now: 49 })), 'full -> full', 'never a moment early');
  t.same(patchOf(ask(shown, { ...event, now: 49 })), {});
  const both = ask({ ...shown, mfaPassedAt: 7 }, event);
  t.same(patchOf(both), { ...forgotten, isMfaComplete: true }, 'a code outlives the JWT');
});

t.test('a code and a JWT in one request complete both factors', async (t) => {
  const given = { now: 7, secondFactorRequired: false, secondFactorUntil: 50 };
  const code = ask(partial, { type: 'completeSecondFactor', factor: 'totp', ...given });
  t.equal(said(code), 'partial -> full');
  t.same(patchOf(code), { isMfaComplete: true, mfaPassedAt: 7, secondFactorUntil: 50 });
  const verified = ask(partial, { type: 'verifyMfa', ...given });
  t.equal(said(verified), 'partial -> full');
  t.match(patchOf(verified), { secondFactorUntil: 50 });
});

t.test('partial: one factor of two stays partial, the code is remembered', async (t) => {
  const event = { type: 'completeSecondFactor', factor: 'totp', secondFactorRequired: true };
  t.equal(said(ask(partial, event)), 'partial -> partial');
  t.same(patchOf(ask(partial, { ...event, now: 7 })), { isMfaComplete: true, mfaPassedAt: 7 });
});

t.test('full: a code may be given again, and renews the time of the posture', async (t) => {
  const event = { type: 'completeSecondFactor', factor: 'totp', secondFactorRequired: false };
  t.equal(said(ask(full, event)), 'full -> full');
  const passed = { ...full, isMfaComplete: true, mfaPassedAt: 7 };
  t.same(patchOf(ask(passed, { ...event, now: 8 })), { isMfaComplete: true, mfaPassedAt: 8 });
});

for (const record of [partial, full]) {
  t.test(`${record.state}: what the endpoint reports is stamped, and nothing else`, async (t) => {
    const event = { type: 'reportEndpoint', now: 7, woken: false, unlocked: false };
    const seen = { ...record, mfaPassedAt: 5, wokenAt: 5, unlockedAt: 5 };
    t.same(patchOf(ask(seen, event)), {});
    t.same(patchOf(ask(seen, { ...event, woken: true })), { wokenAt: 7 });
    t.same(patchOf(ask(seen, { ...event, unlocked: true })), { unlockedAt: 7 });
    const both = ask(seen, { ...event, woken: true, unlocked: true });
    t.same(patchOf(both), { wokenAt: 7, unlockedAt: 7 });
    t.equal(said(both), `${record.state} -> ${record.state}`);
    const prompted = { ...seen, wokenAt: 6, unlockedAt: 6 };
    const again = { ...event, now: 9, woken: true, unlocked: true };
    t.same(patchOf(ask(prompted, again)), {}, 'an open prompt stays as old as it is');
  });
}

t.test('verifying an MFA enrollment makes the session required and complete', async (t) => {
  const event = { type: 'verifyMfa', secondFactorRequired: false };
  t.equal(said(ask(full, event)), 'full -> full');
  t.equal(said(ask(partial, event)), 'partial -> full');
  t.equal(said(ask(partial, { ...event, secondFactorRequired: true })), 'partial -> partial');
  t.same(patchOf(ask(full, { ...event, now: 7 })), {
    isMfaRequired: true,
    isMfaComplete: true,
    mfaPassedAt: 7,
  });
});

t.test('factors that change move a live session at once', async (t) => {
  const missing = { type: 'factorsChanged', secondFactorRequired: true };
  const none = { type: 'factorsChanged', secondFactorRequired: false };
  t.equal(said(ask(full, missing)), 'full -> partial');
  t.equal(said(ask(full, none)), 'full -> full');
  t.equal(said(ask(partial, missing)), 'partial -> partial');
  t.equal(said(ask(partial, none)), 'partial -> full');
});

for (const record of [partial, full]) {
  t.test(`${record.state}: inactivity timeout -> ended, and never a moment early`, async (t) => {
    const event = { type: 'timeout', lastActivityAt: 100, timeoutMs: 50 };
    t.equal(said(ask(record, { ...event, now: 150 })), `${record.state} -> (deleted)`);
    const early = ask(record, { ...event, now: 149 });
    t.equal(said(early), `${record.state} -> ${record.state}`);
    t.same(patchOf(early), {});
  });

  t.test(`${record.state}: the end of its life -> ended, however busy it is`, async (t) => {
    const event = { type: 'timeout', lastActivityAt: 149, timeoutMs: 50, lifetimeEndsAt: 150 };
    t.equal(said(ask(record, { ...event, now: 150 })), `${record.state} -> (deleted)`);
    t.same(patchOf(ask(record, { ...event, now: 149 })), {});
  });

  t.test(`${record.state}: log-out or removal -> ended`, async (t) => {
    t.equal(said(ask(record, { type: 'logOut' })), `${record.state} -> (deleted)`);
    t.equal(said(ask(record, { type: 'remove' })), `${record.state} -> (deleted)`);
  });
}

t.test('nothing but authenticate means anything without a session', async (t) => {
  for (const type of [
    'logOut',
    'remove',
    'timeout',
    'completeSecondFactor',
    'verifyMfa',
    'factorsChanged',
    'expireSecondaryJwt',
    'reportEndpoint',
  ]) {
    t.equal(said(ask(undefined, { type })), 'none ignores it', type);
  }
});
