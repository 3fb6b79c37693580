// The lives of the other machines, and their refusals with the codes of behaviour/errors#codes.

import t from 'tap';
import { authenticator } from '../../machines/authenticator.ts';
import { ca } from '../../machines/ca.ts';
import { enrollment } from '../../machines/enrollment.ts';
import { integrityRun } from '../../machines/integrity-run.ts';
import type { DurableMachine } from '../../machines/machine.ts';
import { mfaEnrollment } from '../../machines/mfa-enrollment.ts';
import { router } from '../../machines/router.ts';
import { routerPresence } from '../../machines/router-presence.ts';
import { asking, patchOf, said } from './said.ts';

type Row = readonly [what: string, record: object | undefined, event: object, outcome: string];

function rows(durable: DurableMachine, all: readonly Row[]): void {
  const ask = asking(durable);
  t.test(durable.machine.id, async (t) => {
    for (const [what, record, event, outcome] of all) {
      t.equal(said(ask(record, event as { readonly type: string })), outcome, what);
    }
  });
}

const pending = {
  id: 'm',
  state: 'pending',
  recoveryCodes: 'sealed',
  lastTimeStep: 0,
  lastUsedStep: 0,
  wrongCodes: 0,
  bars: 0,
  barredUntil: 0,
};
const verified = { ...pending, state: 'verified', lastTimeStep: 7, lastUsedStep: 7 };
const right = { codeValid: true, timeStep: 8, recoveryCodes: undefined };

rows(mfaEnrollment, [
  ['initiate', undefined, { type: 'initiate', fields: {} }, 'none -> pending'],
  ['initiate when pending', pending, { type: 'initiate' }, 'pending refuses MFA_EXISTS'],
  ['initiate when verified', verified, { type: 'initiate' }, 'verified refuses MFA_EXISTS'],
  ['verify', pending, { type: 'verify', codeValid: true }, 'pending -> verified'],
  [
    'wrong code',
    pending,
    { type: 'verify', codeValid: false },
    'pending refuses MFA_INVALID_TOKEN',
  ],
  ['verify twice', verified, { type: 'verify', codeValid: true }, 'verified refuses NOT_FOUND'],
  ['disable', verified, { type: 'disable', codeValid: true }, 'verified -> (deleted)'],
  [
    'disable with a wrong code',
    verified,
    { type: 'disable', codeValid: false },
    'verified refuses MFA_INVALID_TOKEN',
  ],
  ['disable a pending one', pending, { type: 'disable', codeValid: false }, 'pending -> (deleted)'],
  ['admin removes', verified, { type: 'remove' }, 'verified -> (deleted)'],
  ['admin removes a pending one', pending, { type: 'remove' }, 'pending -> (deleted)'],
  ['admin removes nothing', undefined, { type: 'remove' }, 'none -> none'],
  ['regenerate', verified, { type: 'regenerate', codeValid: true }, 'verified -> verified'],
  [
    'regenerate with a wrong code',
    verified,
    { type: 'regenerate', codeValid: false },
    'verified refuses MFA_INVALID_TOKEN',
  ],
  ['show', verified, { type: 'show', codeValid: true, timeStep: 8 }, 'verified -> verified'],
  [
    'show with a wrong code',
    verified,
    { type: 'show', codeValid: false },
    'verified refuses MFA_INVALID_TOKEN',
  ],
  ['show a pending one', pending, { type: 'show', codeValid: true }, 'pending refuses NOT_FOUND'],
  ['show without MFA', undefined, { type: 'show', codeValid: true }, 'none refuses NOT_FOUND'],
  ['regenerate a pending one', pending, { type: 'regenerate' }, 'pending refuses NOT_FOUND'],
  ['a code', verified, { type: 'spend', ...right }, 'verified -> verified'],
  [
    'a code before verification',
    pending,
    { type: 'spend', ...right },
    'pending refuses MFA_NOT_ENROLLED',
  ],
  [
    'the same code again (RFC 6238 §5.2)',
    verified,
    { type: 'spend', ...right, timeStep: 7 },
    'verified refuses MFA_INVALID_TOKEN',
  ],
  ['a code without MFA', undefined, { type: 'spend', ...right }, 'none refuses MFA_NOT_ENROLLED'],
  ['verify without MFA', undefined, { type: 'verify' }, 'none refuses NOT_FOUND'],
]);

t.test(
  'mfaEnrollment: a recovery code is gone once used, whatever the last time step',
  async (t) => {
    const event = { type: 'spend', codeValid: true, timeStep: 0, recoveryCodes: 'fewer' };
    t.same(patchOf(asking(mfaEnrollment)(verified, event)), {
      lastTimeStep: 7,
      lastUsedStep: 7,
      recoveryCodes: 'fewer',
      wrongCodes: 0,
      bars: 0,
      barredUntil: 0,
    });
  },
);

t.test(
  'mfaEnrollment: wrong codes bar it, each time for twice as long, up to a bound',
  async (t) => {
    const bounds = { mfaWrongCodesMax: 3, mfaBarMs: 1000, mfaBarMsMax: 5000 };
    const ask = asking(mfaEnrollment);
    const wrong = (record: object, now: number) => ({
      ...record,
      ...patchOf(ask(record, { type: 'noteWrongCode', now, bounds } as { type: string })),
    });
    let record: object = verified;
    for (const [bars, barMs] of [1000, 2000, 4000, 5000, 5000].entries()) {
      for (let wrongCodes = 1; wrongCodes < 3; wrongCodes++) {
        const before = record;
        record = wrong(record, 10);
        t.same(record, { ...before, wrongCodes });
      }
      record = wrong(record, 20_000);
      t.match(record, { wrongCodes: 0, bars: bars + 1, barredUntil: 20_000 + barMs });
    }
    t.match(wrong({ ...verified, wrongCodes: 2, bars: 2000 }, 0), { barredUntil: 5000 });
    for (const type of ['spend', 'show', 'regenerate']) {
      const event = { type, codeValid: true, timeStep: 8, recoveryCodes: 'x' };
      t.match(patchOf(ask(record, event)), { wrongCodes: 0, bars: 0, barredUntil: 0 }, type);
    }
  },
);

const unverifiedCa = { id: 'c', state: 'unverified', verificationToken: 'token' };
const verifiedCa = { ...unverifiedCa, state: 'verified' };
const proof = { type: 'verify', commonName: 'token', signedByCa: true };

rows(ca, [
  ['create', undefined, { type: 'create', fields: {} }, 'none -> unverified'],
  ['verify', unverifiedCa, proof, 'unverified -> verified'],
  [
    'other common name',
    unverifiedCa,
    { ...proof, commonName: 'other' },
    'unverified refuses INVALID_COMMON_NAME',
  ],
  [
    'signed by another',
    unverifiedCa,
    { ...proof, signedByCa: false },
    'unverified refuses CERTIFICATE_FAILED_VALIDATION',
  ],
  ...['COULD_NOT_PARSE_BODY', 'EXPECTED_PEM_CERTIFICATE', 'COULD_NOT_PARSE_DER_BLOCK'].map(
    (unreadable): Row => [
      'no certificate',
      unverifiedCa,
      { ...proof, unreadable },
      `unverified refuses ${unreadable}`,
    ],
  ),
  ['verify twice', verifiedCa, proof, 'verified refuses CA_ALREADY_VERIFIED'],
  [
    'verify twice, without a certificate',
    verifiedCa,
    { ...proof, unreadable: 'COULD_NOT_PARSE_BODY' },
    'verified refuses CA_ALREADY_VERIFIED',
  ],
  ['remove', verifiedCa, { type: 'remove' }, 'verified -> (deleted)'],
]);

const outstanding = { id: 'e', state: 'outstanding', method: 'ott', expiresAt: 100 };
const expired = { ...outstanding, state: 'expired' };
const renewal = { type: 'refresh', now: 50, token: 't', jwt: 'j', expiresAt: 200 };

rows(enrollment, [
  ['create', undefined, { type: 'create', fields: { expiresAt: 1 } }, 'none -> outstanding'],
  [
    'create in the past',
    undefined,
    { type: 'create', now: 1, fields: { expiresAt: 1 } },
    'none refuses COULD_NOT_VALIDATE',
  ],
  ['refresh', outstanding, renewal, 'outstanding -> outstanding'],
  ['refresh an expired one', expired, renewal, 'expired -> outstanding'],
  [
    'refresh into the past',
    expired,
    { ...renewal, expiresAt: 50 },
    'expired refuses COULD_NOT_VALIDATE',
  ],
  [
    'refresh a router enrollment',
    { ...outstanding, method: 'erott' },
    renewal,
    'outstanding refuses INVALID_ENROLL_METHOD',
  ],
  ['delete', outstanding, { type: 'remove' }, 'outstanding -> (deleted)'],
  [
    'another of the same method',
    outstanding,
    { type: 'create' },
    'outstanding refuses ENROLLMENT_EXISTS',
  ],
  [
    'complete',
    outstanding,
    { type: 'complete', now: 99, method: 'ott' },
    'outstanding -> (deleted)',
  ],
  [
    'complete too late, not yet lapsed',
    outstanding,
    { type: 'complete', now: 100, method: 'ott' },
    'outstanding refuses ENROLLMENT_EXPIRED',
  ],
  [
    'complete an expired one',
    expired,
    { type: 'complete', now: 99, method: 'ott' },
    'expired refuses ENROLLMENT_EXPIRED',
  ],
  [
    'complete by another method',
    expired,
    { type: 'complete', method: 'updb' },
    'expired refuses INVALID_ENROLL_METHOD',
  ],
  ['lapse', outstanding, { type: 'lapse', now: 100 }, 'outstanding -> expired'],
  ['lapse too early', outstanding, { type: 'lapse', now: 99 }, 'outstanding -> outstanding'],
]);

t.test('enrollment: a refresh replaces token and JWT; the deadline is expiresAt', async (t) => {
  const patch = { token: 't', jwt: 'j', expiresAt: 200 };
  t.same(patchOf(asking(enrollment)(expired, renewal)), patch);
  t.equal(enrollment.deadline?.at(outstanding), 100);
  t.equal(enrollment.deadline?.at(expired), undefined);
});

const current = {
  id: 'a',
  state: 'certificate:current,life:existing',
  method: 'cert',
  identityId: 'i',
  username: undefined,
  certPem: 'pem',
  fingerprint: 'old',
  publicKeyPrint: 'old key',
  pendingCertPem: 'new pem',
  pendingFingerprint: 'new',
  pendingPublicKeyPrint: 'new key',
};
const waiting = { ...current, state: 'certificate:pending,life:existing' };
const updb = { ...current, state: 'life:existing', method: 'updb', username: 'u' };
const extend = { type: 'extend', presentedFingerprint: 'old', issuedByUs: true };
const at = (certificate: string) => `certificate:${certificate},life:existing`;
const revert = { type: 'revert', enrollmentId: 'e', caId: undefined, fields: { token: 't' } };

rows(authenticator, [
  [
    'create',
    undefined,
    { type: 'create', fields: { method: 'cert' } },
    `certificate:none,life:none -> ${at('current')}`,
  ],
  [
    'a password has no certificate region',
    undefined,
    { type: 'create', fields: { method: 'updb' } },
    'certificate:none,life:none -> life:existing',
  ],
  [
    'a second password',
    updb,
    { type: 'create', fields: { method: 'updb' } },
    'life:existing refuses MAX_AUTHENTICATOR_METHODS_REACHED',
  ],
  ['revert a password', updb, revert, 'life:existing -> (deleted)'],
  ['remove a password', updb, { type: 'remove' }, 'life:existing -> (deleted)'],
  [
    'a second of the same method',
    current,
    { type: 'create' },
    `${at('current')} refuses MAX_AUTHENTICATOR_METHODS_REACHED`,
  ],
  ['extend', current, extend, `${at('current')} -> ${at('pending')}`],
  ['extend again', waiting, extend, `${at('pending')} -> ${at('pending')}`],
  [
    'extend with another certificate',
    current,
    { ...extend, presentedFingerprint: 'other' },
    `${at('current')} refuses UNAUTHORIZED`,
  ],
  [
    'extend a foreign certificate',
    current,
    { ...extend, issuedByUs: false },
    `${at('current')} refuses CAN_NOT_UPDATE_AUTHENTICATOR`,
  ],
  ['extend a password', updb, extend, 'life:existing ignores it'],
  [
    'extend-verify of a password',
    updb,
    { type: 'extendVerify', fingerprint: 'new' },
    'life:existing ignores it',
  ],
  [
    'extend-verify',
    waiting,
    { type: 'extendVerify', fingerprint: 'new' },
    `${at('pending')} -> ${at('current')}`,
  ],
  [
    'extend-verify with another',
    waiting,
    { type: 'extendVerify', fingerprint: 'old' },
    `${at('pending')} refuses INVALID_CLIENT_CERT`,
  ],
  [
    'extend-verify with none pending',
    current,
    { type: 'extendVerify', fingerprint: 'new' },
    `${at('current')} refuses INVALID_CLIENT_CERT`,
  ],
  [
    'request an extension',
    current,
    { type: 'requestExtend', rollKeys: false },
    `${at('current')} -> ${at('current')}`,
  ],
  [
    'request an extension again',
    waiting,
    { type: 'requestExtend', rollKeys: true },
    `${at('pending')} -> ${at('pending')}`,
  ],
  [
    'request an extension of a password',
    updb,
    { type: 'requestExtend', rollKeys: false },
    'life:existing refuses CAN_NOT_UPDATE_AUTHENTICATOR',
  ],
  ['revert', current, revert, `${at('current')} -> (deleted)`],
  ['remove', waiting, { type: 'remove' }, `${at('pending')} -> (deleted)`],
  ['new password', updb, { type: 'changePassword' }, 'life:existing -> life:existing'],
  [
    'new password on a certificate',
    current,
    { type: 'changePassword' },
    `${at('current')} refuses CAN_NOT_UPDATE_AUTHENTICATOR`,
  ],
]);

t.test('authenticator: the new certificate takes the place of the old', async (t) => {
  const decision = asking(authenticator)(waiting, { type: 'extendVerify', fingerprint: 'new' });
  const none = {
    pendingCertPem: undefined,
    pendingFingerprint: undefined,
    pendingPublicKeyPrint: undefined,
  };
  const fresh = { certPem: 'new pem', fingerprint: 'new', publicKeyPrint: 'new key', ...none };
  const answered = { isExtendRequested: undefined, isKeyRollRequested: undefined };
  t.same(patchOf(decision), { ...fresh, ...answered, lastExtendRolledKeys: true });
  const sameKey = { ...waiting, publicKeyPrint: 'new key' };
  t.match(patchOf(asking(authenticator)(sameKey, { type: 'extendVerify', fingerprint: 'new' })), {
    lastExtendRolledKeys: false,
  });
});

t.test('authenticator: revert makes the enrollment of its kind', async (t) => {
  const cases = [
    [updb, undefined, 'updb'],
    [current, undefined, 'ott'],
    [current, 'ca1', 'ottca'],
  ] as const;
  for (const [record, caId, method] of cases) {
    const decision = asking(authenticator)(record, { ...revert, caId });
    t.match(decision, {
      effects: [
        {
          kind: 'enrollment',
          id: 'e',
          event: { type: 'create', fields: { token: 't', method, caId, identityId: 'i' } },
        },
      ],
    });
  }
});

const unverified = { id: 'r', state: 'unverified', fingerprint: undefined, certPem: undefined };
const enrolled = { id: 'r', state: 'verified', fingerprint: 'old', certPem: 'pem' };
const certificate = { fingerprint: 'new', certPem: 'new pem' };
const kept = { unverifiedFingerprint: 'new', unverifiedCertPem: 'new pem' };
const noneKept = { unverifiedFingerprint: undefined, unverifiedCertPem: undefined };
const extending = { ...enrolled, ...kept };
const again = { type: 'reEnroll', oldEnrollmentIds: ['e1'], enrollmentId: 'e2', fields: {} };

rows(router, [
  ['create', undefined, { type: 'create', fields: {} }, 'none -> unverified'],
  ['enroll', unverified, { type: 'enroll', ...certificate }, 'unverified -> verified'],
  ['enroll twice', enrolled, { type: 'enroll' }, 'verified refuses INVALID_ENROLLMENT_TOKEN'],
  [
    'extend',
    enrolled,
    { type: 'extend', presentedFingerprint: 'old', ...certificate },
    'verified -> verified',
  ],
  [
    'extend with a dead certificate',
    enrolled,
    { type: 'extend', presentedFingerprint: 'older', ...certificate },
    'verified refuses UNAUTHORIZED',
  ],
  ['extend before enrollment', unverified, { type: 'extend' }, 'unverified refuses UNAUTHORIZED'],
  [
    'extend, to be confirmed',
    enrolled,
    { type: 'extendUnverified', presentedFingerprint: 'old', ...certificate },
    'verified -> verified',
  ],
  [
    'extend with a dead certificate, to be confirmed',
    enrolled,
    { type: 'extendUnverified', presentedFingerprint: 'older', ...certificate },
    'verified refuses UNAUTHORIZED',
  ],
  [
    'extend before enrollment, to be confirmed',
    unverified,
    { type: 'extendUnverified' },
    'unverified refuses UNAUTHORIZED',
  ],
  ['confirm', extending, { type: 'extendVerify', fingerprint: 'new' }, 'verified -> verified'],
  [
    'confirm another one',
    extending,
    { type: 'extendVerify', fingerprint: 'old' },
    'verified refuses INVALID_CLIENT_CERT',
  ],
  [
    'confirm when nothing was issued',
    enrolled,
    { type: 'extendVerify', fingerprint: 'new' },
    'verified refuses INVALID_CLIENT_CERT',
  ],
  [
    'confirm before enrollment',
    unverified,
    { type: 'extendVerify', fingerprint: 'new' },
    'unverified refuses UNAUTHORIZED',
  ],
  ['re-enroll', enrolled, again, 'verified -> unverified'],
  ['re-enroll when never enrolled', unverified, again, 'unverified -> unverified'],
  ['remove', enrolled, { type: 'remove' }, 'verified -> (deleted)'],
]);

t.test(
  'router: certificates come and go, re-enrollment replaces the outstanding one',
  async (t) => {
    const ask = asking(router);
    const extended = ask(enrolled, { type: 'extend', presentedFingerprint: 'old', ...certificate });
    t.same(patchOf(extended), { ...certificate, ...noneKept });
    const decision = ask(extending, again);
    t.same(patchOf(decision), { fingerprint: undefined, certPem: undefined, ...noneKept });
    const unconfirmed = { type: 'extendUnverified', presentedFingerprint: 'old', ...certificate };
    t.same(patchOf(ask(enrolled, unconfirmed)), kept, 'the present one still counts');
    const confirmed = ask(extending, { type: 'extendVerify', fingerprint: 'new' });
    t.same(patchOf(confirmed), { ...certificate, ...noneKept });
    t.match(decision, {
      effects: [
        { kind: 'enrollment', id: 'e1', event: { type: 'remove' } },
        { kind: 'enrollment', id: 'e2', event: { type: 'create' } },
      ],
    });
  },
);

const inProgress = { id: 'last', state: 'inProgress', fixingErrors: true };
const idle = { ...inProgress, state: 'idle' };

rows(integrityRun, [
  ['first start of a home', undefined, { type: 'create' }, 'none -> idle'],
  ['first run', undefined, { type: 'start', fixingErrors: true }, 'none -> inProgress'],
  ['start in a run', inProgress, { type: 'start' }, 'inProgress refuses RATE_LIMITED'],
  ['finish', inProgress, { type: 'finish', results: [] }, 'inProgress -> idle'],
  ['start again', idle, { type: 'start', fixingErrors: false }, 'idle -> inProgress'],
  ['the controller ended', inProgress, { type: 'interrupt' }, 'inProgress -> idle'],
  ['the controller ended after it', idle, { type: 'interrupt' }, 'idle ignores it'],
]);

const connect = { type: 'connect', isEdge: true, fields: { routerId: 'r' } };
const greetedPresence = {
  id: 'r',
  routerId: 'r',
  state: 'hello',
  serverHellos: 1,
  hasGreeted: true,
  hostname: 'h',
  supportedProtocols: { tls: 'tls://h:1' },
  interfaces: [{ name: 'eth0' }],
  isQuiesced: true,
  closeReason: '',
};
const inState = (state: string) => ({ ...greetedPresence, state });

rows(routerPresence, [
  ['connect', undefined, connect, 'none -> hello'],
  ['connect without clients', undefined, { ...connect, isEdge: false }, 'none -> online'],
  ['ask', inState('hello'), { type: 'askHello' }, 'hello -> hello'],
  ['greet', inState('hello'), { type: 'greet', hostname: 'x' }, 'hello -> hello'],
  ['sync', inState('hello'), { type: 'beginSync' }, 'hello -> syncing'],
  ['nothing to sync', inState('hello'), { type: 'finishSync' }, 'hello -> online'],
  ['synced', inState('syncing'), { type: 'finishSync' }, 'syncing -> online'],
  ['sync again', inState('online'), { type: 'askResync' }, 'online -> resync'],
  ['sync again in a sync', inState('syncing'), { type: 'askResync' }, 'syncing -> resync'],
  ['the former sync ends', inState('resync'), { type: 'finishSync' }, 'resync -> resync'],
  ['the next begins', inState('resync'), { type: 'beginSync' }, 'resync -> syncing'],
  ['a new session', inState('online'), { type: 'finishSync' }, 'online -> online'],
  ['a newer connection', inState('online'), connect, 'online -> hello'],
  ['close', inState('online'), { type: 'close', reason: 'x' }, 'online -> closing'],
  ['closed', inState('closing'), { type: 'disconnect', reason: 'x' }, 'closing -> offline'],
  ['lost', inState('syncing'), { type: 'disconnect', reason: 'x' }, 'syncing -> offline'],
  ['back', inState('offline'), connect, 'offline -> hello'],
  ['greet when offline', inState('offline'), { type: 'greet' }, 'offline ignores it'],
  ['remove', inState('online'), { type: 'remove' }, 'online -> (deleted)'],
]);

t.test('routerPresence: what it told before counts until it says otherwise', async (t) => {
  const patch = patchOf(asking(routerPresence)(inState('offline'), connect));
  t.match(patch, {
    hostname: 'h',
    supportedProtocols: { tls: 'tls://h:1' },
    interfaces: [{ name: 'eth0' }],
    isQuiesced: true,
    hasGreeted: false,
    serverHellos: 0,
  });
});

t.test('integrityRun: it has no other states', async (t) => {
  const { states } = integrityRun.machine;
  t.same(Object.keys(states), ['none', 'inProgress', 'idle'], 'none means that there is no record');
});
