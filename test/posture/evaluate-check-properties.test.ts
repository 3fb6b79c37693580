// evaluate-check.ts compared with the naive evaluator, for random checks and subjects.

import assert from 'node:assert/strict';
import t from 'tap';
import { evaluate } from '../../src/posture/evaluate-check.ts';
import { failureOf } from '../../src/posture/failure.ts';
import { timeoutRemainingSeconds } from '../../src/posture/mfa.ts';
import { queryText } from '../../src/posture/queries.ts';
import { reasonInWords } from '../../src/posture/reason-texts.ts';
import type { Subject } from '../../src/posture/subject.ts';
import type { PostureCheckRecord } from '../../src/records/posture-check.ts';
import { definitionProblem } from '../contract/harness/published.ts';
import * as fc from '../properties.ts';
import {
  type Comparison,
  type NaiveCheck,
  type NaiveProcess,
  type NaiveSubject,
  passesNaively,
} from './naive.ts';
import { checkOf, dataOf, subjectOf } from './subjects.ts';

const systemTypes = ['Windows', 'Linux', 'macOS'] as const;
const few = <T>(arbitrary: fc.Arbitrary<T>) => fc.array(arbitrary, { maxLength: 3 });
const some = <T>(arbitrary: fc.Arbitrary<T>) => fc.array(arbitrary, { minLength: 1, maxLength: 3 });
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });

const numbers = fc.tuple(fc.nat(3), fc.nat(3), fc.nat(3));
const comparison: fc.Arbitrary<Comparison> = fc.record({
  operator: fc.constantFrom('<', '<=', '>', '>=', '=', '!='),
  numbers,
});
const hex = fc.constantFrom('aa', 'bb', 'cc');
const path = fc.constantFrom('/a', '/b', '/A', '');
const process: fc.Arbitrary<NaiveProcess> = fc.record({
  path,
  hashes: few(hex),
  signers: few(hex),
});
const domain = fc.constantFrom('corp.example', 'Corp.Example', 'branch.example');

// Where time-out and grace begin, end and meet, to the ms.
const seconds = fc.constantFrom(0, 1, 299, 300, 301, 600, 900);
const time = fc.tuple(seconds, fc.integer({ min: -1, max: 1 })).map(([s, ms]) => s * 1000 + ms);

const checks: fc.Arbitrary<NaiveCheck> = fc.oneof(
  fc.record({
    type: fc.constant('OS' as const),
    systems: some(
      fc.record({ type: fc.constantFrom(...systemTypes), ranges: few(some(some(comparison))) }),
    ),
  }),
  fc.record({ type: fc.constant('DOMAIN' as const), domains: some(domain) }),
  fc.record({ type: fc.constant('MAC' as const), addresses: some(hex) }),
  fc.record({
    type: fc.constant('PROCESS' as const),
    id: fc.constantFrom('p', 'q'),
    process: process.map((one) => ({ ...one, signers: one.signers.slice(0, 1) })),
  }),
  fc.record({
    type: fc.constant('PROCESS_MULTI' as const),
    semantic: fc.constantFrom('AllOf' as const, 'AnyOf' as const),
    processes: some(process),
  }),
  fc.record({
    type: fc.constant('MFA' as const),
    timeoutSeconds: fc.constantFrom(-1, 1, 300, 600),
    promptOnWake: fc.boolean(),
    promptOnUnlock: fc.boolean(),
  }),
);

const version = fc.oneof(
  { arbitrary: numbers.map((three) => three.join('.')), weight: 4 },
  { arbitrary: fc.constantFrom('', '1', '1.2', '1.2.3.4', 'x'), weight: 1 },
);
const subjects: fc.Arbitrary<NaiveSubject> = fc.record({
  hasData: fc.nat(9).map((one) => one > 0),
  os: maybe(fc.record({ type: fc.constantFrom('WINDOWS', 'linux', 'macOS', 'iOS'), version })),
  domain: maybe(fc.oneof(domain, fc.constantFrom('CORP.EXAMPLE', ''))),
  addresses: maybe(few(hex)),
  responses: fc.array(
    fc.record({
      checkId: fc.constantFrom('p', 'q', 'r'),
      path,
      isRunning: fc.nat(3).map((one) => one > 0),
      hash: fc.oneof(hex, fc.constant('')),
      signers: few(hex),
      at: fc.nat(3),
    }),
    { maxLength: 6 },
  ),
  endpoint: maybe(
    fc.record({ mfaPassedAt: maybe(time), wokenAt: maybe(time), unlockedAt: maybe(time) }),
  ),
  enrolledAt: fc.option(fc.constantFrom(0, 1000), { nil: undefined, freq: 9 }),
});

const far = 10 ** 12;

t.test('verdicts are those of the naive evaluator, now and when they fail by themselves', (t) => {
  const counts = { passing: 0, failing: 0, lapsing: 0 };
  const property = fc.property(checks, subjects, time, (naive, known, now) => {
    const check = recordOf(naive);
    const subject = subjectFrom(known);
    const { isPassing, failsAt } = evaluate(check, subject, now);
    assert.equal(isPassing, passesNaively(naive, known, now));
    counts[isPassing ? 'passing' : 'failing']++;
    if (failsAt !== undefined) {
      counts.lapsing++;
      assert.ok(isPassing && failsAt > now);
      for (const at of [failsAt - 1, failsAt]) {
        assert.equal(passesNaively(naive, known, at), at < failsAt);
        assert.equal(evaluate(check, subject, at).isPassing, at < failsAt);
      }
    } else {
      assert.equal(passesNaively(naive, known, now + far), isPassing);
    }
  });
  t.doesNotThrow(() => fc.assert(property, { numRuns: 3000 }));
  for (const [what, count] of Object.entries(counts)) t.ok(count > 100, `${count} ${what}`);
  t.end();
});

t.test('what is shown of any of them has its published form, and agrees with the verdict', (t) => {
  const property = fc.property(
    checks,
    subjects,
    time,
    fc.boolean(),
    (naive, known, now, spares) => {
      const check = recordOf(naive, { ignoreLegacyEndpoints: spares });
      const subject = subjectFrom(known);
      const query = JSON.parse(queryText(check, subject, now)) as Record<string, unknown>;
      assert.equal(definitionProblem('postureQuery', query), undefined);
      assert.equal(query['isPassing'], passesNaively(naive, known, now));
      const remaining = timeoutRemainingSeconds(check, subject, now);
      assert.equal(query['timeoutRemaining'], remaining);
      assert.equal('timeoutAt' in query, remaining >= 0);
      if (remaining > 0) assert.ok(passesNaively(naive, known, now), 'time is left of what passes');
      const failure = failureOf(check, subject, now);
      assert.equal(definitionProblem('postureCheckFailure', failure), undefined);
      assert.match(reasonInWords(check, subject, now), /^\S.*\.$/);
    },
  );
  t.doesNotThrow(() => fc.assert(property, { numRuns: 1500 }));
  t.end();
});

function recordOf(naive: NaiveCheck, more: Partial<PostureCheckRecord> = {}): PostureCheckRecord {
  const typeId = naive.type;
  switch (naive.type) {
    case 'OS': {
      const operatingSystems = naive.systems.map(({ type, ranges }) => ({
        type: type as (typeof systemTypes)[number],
        versions: ranges.map(rangeText),
      }));
      return checkOf({ typeId, operatingSystems });
    }
    case 'DOMAIN':
      return checkOf({ typeId, domains: [...naive.domains] });
    case 'MAC':
      return checkOf({ typeId, macAddresses: [...naive.addresses] });
    case 'PROCESS': {
      const { path, hashes, signers } = naive.process;
      const [signerFingerprint = ''] = signers;
      const process = { osType: 'Linux' as const, path, hashes: [...hashes], signerFingerprint };
      return checkOf({ typeId, id: naive.id, process });
    }
    case 'PROCESS_MULTI': {
      const processes = naive.processes.map(({ path, hashes, signers }) => ({
        osType: 'Linux' as const,
        path,
        hashes: [...hashes],
        signerFingerprints: [...signers],
      }));
      return checkOf({ typeId, semantic: naive.semantic, processes });
    }
    case 'MFA': {
      const { timeoutSeconds, promptOnWake, promptOnUnlock } = naive;
      return checkOf({ typeId, timeoutSeconds, promptOnWake, promptOnUnlock, ...more });
    }
  }
}

function rangeText(alternatives: readonly (readonly Comparison[])[]): string {
  return alternatives
    .map((all) => all.map(({ operator, numbers }) => `${operator}${numbers.join('.')}`).join(' '))
    .join(' || ');
}

function subjectFrom({
  hasData,
  os,
  domain,
  addresses,
  responses,
  ...rest
}: NaiveSubject): Subject {
  const common = { checkId: 'any', at: 0 };
  const processes = responses.map(({ signers, ...one }) => ({
    ...one,
    signerFingerprints: [...signers],
  }));
  const data = dataOf({
    os: os && { ...common, ...os, build: '' },
    domain: domain === undefined ? undefined : { ...common, domain },
    mac: addresses && { ...common, addresses: [...addresses] },
    processes,
  });
  return subjectOf({ ...rest, data: hasData ? data : undefined });
}
