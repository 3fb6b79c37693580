// Arbitraries of machines: random records and events, by which tests drive every state × event.

import type { DurableMachine, MachineEvent, MachineRecord } from '../../machines/machine.ts';
import * as fc from '../properties.ts';

/** Records and events of one machine. */
export interface MachineArbitraries {
  /** Records in any state the machine can be in, `none` and final states left out. */
  readonly record: fc.Arbitrary<MachineRecord>;
  /** One arbitrary per event type. */
  readonly events: Readonly<Record<string, fc.Arbitrary<MachineEvent>>>;
}

/** The arbitraries of a machine that the controller runs. */
export function arbitrariesOf({ machine: { id: kind } }: DurableMachine): MachineArbitraries {
  const make = byKind[kind];
  if (make === undefined) throw new Error(`no arbitraries for ${kind}`);
  return make();
}

const byKind: Readonly<Record<string, () => MachineArbitraries>> = {
  identity,
  router,
  authenticator,
  authRequest,
  enrollment,
  apiSession,
  mfaEnrollment,
  ca,
  circuit,
  clusterNode,
  integrityRun,
  revocation,
  routerPresence,
  link,
  terminator,
  tokenKey,
};

/** An event type → the arbitraries of its fields, `type` and `now` left out. */
type EventFields = Readonly<Record<string, Readonly<Record<string, fc.Arbitrary<unknown>>>>>;

/** One arbitrary per event type; `now` is that of every event. */
function arbitraryEvents(
  now: fc.Arbitrary<number>,
  fields: EventFields,
): MachineArbitraries['events'] {
  return Object.fromEntries(
    Object.entries(fields).map(([type, own]) => [
      type,
      fc.record({ ...own, type: fc.constant(type), now }),
    ]),
  );
}

const optional = <T>(some: fc.Arbitrary<T>) => fc.option(some, { nil: undefined });

function identity(): MachineArbitraries {
  const time = fc.integer({ min: 0, max: 40 }).map((minutes) => minutes * 60_000);
  const durationMinutes = fc.integer({ min: -1, max: 20 });
  return {
    record: fc.record({
      id: fc.string(),
      state: fc.constantFrom('enabled', 'disabled'),
      isAdmin: fc.boolean(),
      isDefaultAdmin: fc.boolean(),
      lockedOutUntil: optional(time),
      disabledAt: optional(time),
      disabledUntil: optional(time),
    }),
    events: arbitraryEvents(time, {
      create: {
        fields: fc.record({ isAdmin: fc.boolean(), isDefaultAdmin: fc.boolean() }),
      },
      disable: { durationMinutes },
      lockOut: { durationMinutes },
      enable: {},
      lapse: {},
      remove: {},
    }),
  };
}

function router(): MachineArbitraries {
  const print = fc.constantFrom('print-a', 'print-b');
  const text = fc.string();
  return {
    record: fc.record({
      id: text,
      state: fc.constantFrom('unverified', 'verified'),
      fingerprint: optional(print),
      certPem: optional(text),
      unverifiedFingerprint: optional(print),
      unverifiedCertPem: optional(text),
    }),
    events: arbitraryEvents(fc.nat(), {
      create: { fields: fc.record({ name: text }) },
      enroll: { fingerprint: print, certPem: text },
      extend: { presentedFingerprint: print, fingerprint: print, certPem: text },
      extendUnverified: { presentedFingerprint: print, fingerprint: print, certPem: text },
      extendVerify: { fingerprint: print },
      trust: { fingerprint: print },
      reEnroll: {
        oldEnrollmentIds: fc.array(text, { maxLength: 2 }),
        enrollmentId: text,
        fields: fc.record({ method: fc.constantFrom('erott', 'trott'), token: text }),
      },
      remove: {},
    }),
  };
}

function terminator(): MachineArbitraries {
  const isOfRouter = fc.boolean();
  const precedence = fc.constantFrom('default', 'required', 'failed');
  return {
    record: fc.record({
      id: fc.string(),
      state: fc.constantFrom('declared', 'hosted', 'failed'),
      isOfRouter,
      precedence,
    }),
    events: arbitraryEvents(fc.nat(), {
      create: { fields: fc.record({ isOfRouter, precedence }) },
      setPrecedence: { precedence },
      fail: {},
      remove: {},
    }),
  };
}

function authenticator(): MachineArbitraries {
  const print = fc.constantFrom('print-a', 'print-b');
  const text = fc.string();
  const fields = {
    identityId: text,
    method: fc.constantFrom('updb', 'cert'),
    username: optional(text),
    passwordHash: optional(text),
    certPem: optional(text),
    fingerprint: optional(print),
    publicKeyPrint: optional(print),
  };
  return {
    record: fc.record({
      id: text,
      state: fc.constantFrom(
        'certificate:current,life:existing',
        'certificate:pending,life:existing',
        'life:existing',
      ),
      ...fields,
      pendingCertPem: optional(text),
      pendingFingerprint: optional(print),
      pendingPublicKeyPrint: optional(print),
      lastExtendRolledKeys: fc.boolean(),
      lastAuthResolvedToRoot: fc.boolean(),
      isExtendRequested: optional(fc.constant(true)),
      isKeyRollRequested: optional(fc.constant(true)),
      extendRequestedAt: optional(fc.nat()),
    }),
    events: arbitraryEvents(fc.nat(), {
      create: { fields: fc.record(fields) },
      changePassword: { passwordHash: text },
      extend: {
        presentedFingerprint: print,
        issuedByUs: fc.boolean(),
        pendingCertPem: text,
        pendingFingerprint: print,
        pendingPublicKeyPrint: print,
      },
      extendVerify: { fingerprint: print },
      requestExtend: { rollKeys: fc.boolean() },
      revert: {
        enrollmentId: text,
        caId: optional(text),
        fields: fc.record({
          token: text,
          jwt: text,
          tokenHash: text,
          expiresAt: fc.nat(),
        }),
      },
      remove: {},
    }),
  };
}

function enrollment(): MachineArbitraries {
  const time = fc.integer({ min: 0, max: 10 });
  const token = fc.string();
  const method = fc.constantFrom('ott', 'ottca', 'updb', 'erott', 'trott');
  const fields = { method, token, jwt: token, tokenHash: token, expiresAt: time };
  return {
    record: fc.record({
      id: fc.string(),
      state: fc.constantFrom('outstanding', 'expired'),
      ...fields,
    }),
    events: arbitraryEvents(time, {
      create: { fields: fc.record(fields) },
      refresh: { token, jwt: token, tokenHash: token, expiresAt: time },
      complete: { method },
      lapse: {},
      remove: {},
    }),
  };
}

function authRequest(): MachineArbitraries {
  const now = fc.integer({ min: 0, max: 100 });
  const name = fc.constantFrom('', 'ann', 'bob');
  const factor = fc.constantFrom('password', 'totp', 'ejs:s');
  const factors = fc.uniqueArray(factor, { maxLength: 3 });
  const codeHash = fc.constantFrom('', 'c', 'd');
  return {
    record: fc.record({
      id: fc.string(),
      state: fc.constantFrom('created', 'factorOwed', 'complete'),
      expiresAt: now,
      identityId: name,
      authenticatedAt: optional(now),
      factors,
      owed: factors,
      failures: fc.nat({ max: 5 }),
      codeHash,
      codeUntil: now,
    }),
    events: arbitraryEvents(now, {
      authorize: { fields: fc.record({ expiresAt: now }) },
      logIn: {
        identityId: name,
        factors,
        demanded: factors,
        fields: fc.record({ login: fc.string() }),
      },
      passFactor: { factor },
      failFactor: { failuresMax: fc.constant(5) },
      issueCode: { codeHash, codeUntil: now },
      exchange: { codeHash, isOfRequest: fc.boolean() },
      expire: {},
      revoke: {},
    }),
  };
}

function revocation(): MachineArbitraries {
  const now = fc.integer({ min: 0, max: 100 });
  const fields = fc.record({ expiresAt: now, type: fc.string() });
  return {
    record: fc.record({ id: fc.string(), state: fc.constant('standing'), expiresAt: now }),
    events: arbitraryEvents(now, { revoke: { fields }, expire: {}, remove: {} }),
  };
}

function tokenKey(): MachineArbitraries {
  const now = fc.integer({ min: 0, max: 100 });
  const times = { signsAt: now, verifiesUntil: optional(now) };
  const own = { ...times, privateKey: optional(fc.string()), replaces: optional(fc.string()) };
  const fields = fc.record(own);
  return {
    record: fc.record({
      ...own,
      id: fc.string(),
      state: fc.constantFrom('announced', 'signing', 'verifying'),
    }),
    events: arbitraryEvents(now, {
      adopt: { fields },
      announce: { fields },
      due: {},
      retire: {},
      remove: {},
    }),
  };
}

function apiSession(): MachineArbitraries {
  const now = fc.integer({ min: 0, max: 100 });
  const jwt = fc.record({
    clientId: fc.string(),
    began: fc.string(),
    factors: fc.array(fc.string()),
    authenticatedAt: now,
    until: now,
    generation: fc.nat({ max: 3 }),
    usedAt: now,
  });
  const boolean = fc.boolean();
  const moment = optional(now);
  return {
    record: fc.record({
      id: fc.string(),
      state: fc.constantFrom('partial', 'full'),
      isMfaRequired: boolean,
      isMfaComplete: boolean,
      lastActivityAt: now,
      mfaPassedAt: moment,
      wokenAt: moment,
      unlockedAt: moment,
      secondFactorUntil: moment,
      jwt: optional(jwt),
    }),
    events: arbitraryEvents(now, {
      authenticate: {
        fields: fc.record({ token: fc.string() }),
        secondFactorRequired: boolean,
        secondFactorUntil: moment,
        mfaEnrolled: boolean,
        mfaPassedAt: moment,
      },
      rotate: { until: now },
      prolong: { until: now },
      useTokens: {},
      detectReuse: {},
      completeSecondFactor: {
        factor: fc.constantFrom('totp', 'jwt'),
        secondFactorRequired: boolean,
        secondFactorUntil: moment,
      },
      verifyMfa: { secondFactorRequired: boolean, secondFactorUntil: moment },
      expireSecondaryJwt: { secondFactorRequired: boolean },
      reportEndpoint: { woken: boolean, unlocked: boolean },
      factorsChanged: { secondFactorRequired: boolean },
      timeout: { lastActivityAt: now, timeoutMs: fc.constant(30), lifetimeEndsAt: moment },
      logOut: {},
      remove: {},
    }),
  };
}

function mfaEnrollment(): MachineArbitraries {
  const codes = fc.string();
  const step = fc.integer({ min: 0, max: 5 });
  const codeValid = fc.boolean();
  return {
    record: fc.record({
      id: fc.string(),
      state: fc.constantFrom('pending', 'verified'),
      recoveryCodes: codes,
      lastTimeStep: step,
      lastUsedStep: step,
      wrongCodes: step,
      bars: step,
      barredUntil: fc.nat(),
    }),
    events: arbitraryEvents(fc.nat(), {
      initiate: { fields: fc.record({ recoveryCodes: codes }) },
      verify: { codeValid, timeStep: step },
      show: { codeValid, timeStep: step },
      spend: {
        codeValid,
        timeStep: step,
        recoveryCodes: optional(codes),
      },
      regenerate: { codeValid, timeStep: step, recoveryCodes: codes },
      disable: { codeValid },
      noteWrongCode: {
        bounds: fc.record({ mfaWrongCodesMax: step, mfaBarMs: fc.nat(), mfaBarMsMax: fc.nat() }),
      },
      remove: {},
    }),
  };
}

function ca(): MachineArbitraries {
  const name = fc.constantFrom('token', 'other');
  return {
    record: fc.record({
      id: fc.string(),
      state: fc.constantFrom('unverified', 'verified'),
      verificationToken: name,
    }),
    events: arbitraryEvents(fc.nat(), {
      create: { fields: fc.record({ verificationToken: name }) },
      verify: {
        unreadable: fc.constantFrom(
          undefined,
          'COULD_NOT_PARSE_BODY',
          'EXPECTED_PEM_CERTIFICATE',
          'COULD_NOT_PARSE_DER_BLOCK',
        ),
        commonName: name,
        signedByCa: fc.boolean(),
      },
      remove: {},
    }),
  };
}

function clusterNode(): MachineArbitraries {
  const reason = fc.string();
  const term = fc.nat();
  return {
    record: fc.record({
      id: fc.string(),
      state: fc.constantFrom(
        'recovering',
        'following',
        'standing',
        'leading',
        'isolated',
        'halted',
      ),
      term,
      reason,
    }),
    events: arbitraryEvents(fc.nat(), {
      start: {},
      follow: {},
      stand: {},
      withdraw: { reason },
      lead: { term },
      loseContact: { reason },
      regainContact: {},
      halt: { reason },
      end: { reason },
    }),
  };
}

function routerPresence(): MachineArbitraries {
  const time = fc.nat();
  const text = fc.string();
  const told = { hostname: text, supportedProtocols: fc.dictionary(text, text, { maxKeys: 2 }) };
  const fields = {
    routerId: text,
    address: text,
    connectedAt: time,
    versionInfo: fc.constant({ arch: '', buildDate: '', os: '', revision: '', version: 'v2' }),
    capabilities: fc.array(fc.nat(63), { maxLength: 3 }),
  };
  return {
    record: fc.record({
      id: text,
      state: fc.constantFrom('offline', 'hello', 'syncing', 'online', 'resync', 'closing'),
      ...fields,
      ...told,
      serverHellos: fc.nat(3),
      hasGreeted: fc.boolean(),
      interfaces: fc.constant([]),
      isQuiesced: fc.boolean(),
      closeReason: text,
    }),
    events: arbitraryEvents(time, {
      connect: { isEdge: fc.boolean(), fields: fc.record(fields) },
      askHello: {},
      greet: told,
      beginSync: {},
      finishSync: {},
      askResync: {},
      report: { interfaces: fc.constant([]) },
      quiesce: { isQuiesced: fc.boolean() },
      close: { reason: text },
      disconnect: { reason: text },
      remove: {},
    }),
  };
}

function integrityRun(): MachineArbitraries {
  const time = fc.nat();
  const error = fc.string();
  const flag = fc.boolean();
  const results = fc.array(fc.record({ description: error, fixed: flag }));
  return {
    record: fc.record({
      id: fc.string(),
      state: fc.constantFrom('inProgress', 'idle'),
      fixingErrors: flag,
      startTime: time,
      endTime: optional(time),
      error,
      results,
      tooManyErrors: flag,
    }),
    events: arbitraryEvents(time, {
      create: {},
      start: { fixingErrors: flag },
      finish: { error, results, tooManyErrors: flag },
      interrupt: {},
    }),
  };
}

function circuit(): MachineArbitraries {
  const text = fc.string();
  const right = {
    sessionId: optional(text),
    apiSessionId: optional(text),
    identityId: text,
    serviceId: text,
  };
  const path = {
    routers: fc.array(text, { maxLength: 3 }),
    links: fc.array(text, { maxLength: 2 }),
  };
  const route = { terminatorId: text, hostId: text, ...path, ingressId: text, egressId: text };
  const fields = fc.record({ ...right, ...route });
  return {
    record: fc.record({
      id: text,
      state: fc.constantFrom('routing', 'active', 'rerouting'),
      ...right,
      ...route,
      attempt: fc.nat(),
      reroutes: fc.nat(),
    }),
    events: arbitraryEvents(fc.nat(), {
      create: { fields },
      restore: { fields },
      retry: { route: fc.record(route) },
      confirm: {},
      reroute: {},
      rerouted: path,
      end: {},
    }),
  };
}

function link(): MachineArbitraries {
  const now = fc.integer({ min: 0, max: 60 }).map((seconds) => seconds * 1000);
  const iteration = fc.integer({ min: 0, max: 3 });
  const refusal = fc.constantFrom('a b', 'b a');
  return {
    record: fc.record({
      id: fc.string(),
      state: fc.constantFrom('pending', 'connected', 'refused', 'failed', 'duplicate'),
      iteration,
      failedAt: optional(now),
      isNamed: fc.boolean(),
      refusal: optional(refusal),
      staticCost: fc.nat(),
      down: fc.boolean(),
    }),
    events: arbitraryEvents(now, {
      report: {
        iteration,
        isReachable: fc.boolean(),
        isRefresh: fc.boolean(),
        refusal,
        fields: fc.record({ protocol: fc.string() }),
      },
      arrive: {},
      depart: {},
      fail: { iteration: optional(iteration) },
      duplicate: { iteration: optional(iteration) },
      refuse: { refusal, isByDest: fc.boolean() },
      name: { refusal, isByDest: fc.boolean(), isReachable: fc.boolean() },
      accept: {},
      adjust: { staticCost: optional(fc.nat()), down: optional(fc.boolean()) },
      lapse: {},
      remove: {},
    }),
  };
}
