// Queries and failures to the letter, and how much the words of a check show of long lists.

import t from 'tap';
import { failureOf } from '../../src/posture/failure.ts';
import { queryText } from '../../src/posture/queries.ts';
import { reasonInWords } from '../../src/posture/reason-texts.ts';
import { definitionProblem } from '../contract/harness/published.ts';
import { checkOf, dataOf, subjectOf } from './subjects.ts';

const at = (second: number) => Date.UTC(2026, 0, 1, 0, 0, second);
const common = { createdAt: at(1), updatedAt: at(2), tags: { team: 'red' } };
const nobody = subjectOf({});
const shown = (check: Parameters<typeof queryText>[0], subject = nobody, now = at(60)) => {
  const query = JSON.parse(queryText(check, subject, now)) as Record<string, unknown>;
  t.equal(definitionProblem('postureQuery', query), undefined);
  return query;
};
const base = {
  _links: {},
  createdAt: '2026-01-01T00:00:01.000Z',
  id: 'check',
  tags: { team: 'red' },
  updatedAt: '2026-01-01T00:00:02.000Z',
  isPassing: false,
  timeout: -1,
  timeoutRemaining: -1,
};

t.test('a query has the base fields, and of its check what a client must know', (t) => {
  const domain = checkOf({ ...common, typeId: 'DOMAIN', domains: ['corp.example'] });
  t.same(shown(domain), { ...base, queryType: 'DOMAIN' });
  const data = dataOf({ domain: { checkId: '', domain: 'corp.example', at: 0 } });
  t.same(shown(domain, subjectOf({ data })), { ...base, queryType: 'DOMAIN', isPassing: true });
  const asked = { osType: 'Linux' as const, path: '/a' };
  const secret = { hashes: ['aa'], signerFingerprint: 'bb' };
  t.same(shown(checkOf({ ...common, typeId: 'PROCESS', process: { ...asked, ...secret } })), {
    ...base,
    queryType: 'PROCESS',
    process: asked,
  });
  const processes = [{ ...asked, hashes: ['aa'], signerFingerprints: ['bb'] }, asked];
  t.same(shown(checkOf({ ...common, typeId: 'PROCESS_MULTI', semantic: 'AllOf', processes })), {
    ...base,
    queryType: 'PROCESS_MULTI',
    processes: [asked, asked],
  });
  t.end();
});

t.test('an MFA query tells when it ends, and moves with the events it prompts for', (t) => {
  const prompts = { promptOnWake: true, promptOnUnlock: false };
  const mfa = checkOf({ ...common, typeId: 'MFA', timeoutSeconds: 900, ...prompts });
  const own = { queryType: 'MFA', timeout: 900, promptGracePeriodSeconds: 300, ...prompts };
  const subject = (wokenAt?: number, unlockedAt?: number) =>
    subjectOf({ enrolledAt: 0, endpoint: { mfaPassedAt: at(30), wokenAt, unlockedAt } });
  t.same(shown(mfa), {
    ...base,
    ...own,
    timeoutRemaining: 0,
    timeoutAt: '2026-01-01T00:01:00.000Z',
  });
  const passing = { ...base, ...own, isPassing: true };
  const timeoutAt = '2026-01-01T00:15:30.000Z';
  t.same(shown(mfa, subject()), { ...passing, timeoutRemaining: 870, timeoutAt });
  t.same(shown(mfa, subject(undefined, at(50))), {
    ...passing,
    timeoutRemaining: 870,
    timeoutAt,
  });
  t.same(shown(mfa, subject(at(50), at(55))), {
    ...passing,
    updatedAt: '2026-01-01T00:00:50.000Z',
    timeoutRemaining: 290,
    timeoutAt: '2026-01-01T00:05:50.000Z',
  });
  const changed = checkOf({ ...mfa, updatedAt: at(55) });
  t.equal(shown(changed, subject(at(50)))['updatedAt'], '2026-01-01T00:00:55.000Z');
  const untimed = checkOf({ ...common, typeId: 'MFA', timeoutSeconds: -1, promptOnUnlock: false });
  t.same(shown(untimed, subject(at(50))), {
    ...base,
    queryType: 'MFA',
    isPassing: true,
    promptOnWake: false,
    promptOnUnlock: false,
  });
  t.end();
});

t.test('a failure of MFA shows the criteria, zero time for what never was', (t) => {
  const flags = { promptOnWake: true, promptOnUnlock: false };
  const check = checkOf({ typeId: 'MFA', timeoutSeconds: 10, ...flags });
  const common = {
    postureCheckId: 'check',
    postureCheckName: 'the check',
    postureCheckType: 'MFA',
    expectedValue: { passedMfa: true, passedOnWake: true, passedOnUnlock: false, timedOut: false },
  };
  const zero = '0001-01-01T00:00:00.000Z';
  t.same(failureOf(check, nobody, at(60)), {
    ...common,
    actualValue: { passedMfa: false, passedOnWake: false, passedOnUnlock: true, timedOut: false },
    criteria: {
      passedMfaAt: zero,
      wokenAt: zero,
      unlockedAt: zero,
      timeoutSeconds: 10,
      timeoutRemainingSeconds: 0,
    },
  });
  const endpoint = { mfaPassedAt: at(40), wokenAt: at(45), unlockedAt: at(20) };
  t.same(failureOf(check, subjectOf({ endpoint, enrolledAt: at(0) }), at(60)), {
    ...common,
    actualValue: { passedMfa: true, passedOnWake: true, passedOnUnlock: true, timedOut: true },
    criteria: {
      passedMfaAt: '2026-01-01T00:00:40.000Z',
      wokenAt: '2026-01-01T00:00:45.000Z',
      unlockedAt: '2026-01-01T00:00:20.000Z',
      timeoutSeconds: 10,
      timeoutRemainingSeconds: 0,
    },
  });
  t.end();
});

t.test('a failure of MFA wants of waking and unlocking what the check prompts for', (t) => {
  const own = { typeId: 'MFA', timeoutSeconds: -1, promptOnWake: false, promptOnUnlock: true };
  t.match(failureOf(checkOf(own), nobody, 0), {
    actualValue: { passedOnWake: true, passedOnUnlock: false },
    expectedValue: { passedOnWake: false, passedOnUnlock: true },
    criteria: { timeoutSeconds: -1, timeoutRemainingSeconds: -1 },
  });
  t.end();
});

t.test('failures of the other types show what was reported beside what is wanted', (t) => {
  const processes = [
    { osType: 'Linux' as const, path: '/a', hashes: ['aa'] },
    { osType: 'Windows' as const, path: '/b' },
  ];
  const stopped = { isRunning: false, hash: 'bb', signerFingerprints: ['cc'], at: 0 };
  const reported = { checkId: 'check', path: '/b', ...stopped };
  const data = dataOf({
    os: { checkId: '', type: 'Linux', version: '6.1.0', build: 'b', at: 0 },
    mac: { checkId: '', addresses: ['aa'], at: 0 },
    processes: [reported],
  });
  const values = (own: Parameters<typeof checkOf>[0], subject = subjectOf({ data })) => {
    const failure = failureOf(checkOf(own), subject, 0);
    t.equal(definitionProblem('postureCheckFailure', failure), undefined);
    return failure.actualValue;
  };
  const operatingSystems = [{ type: 'macOS' as const, versions: ['1'] }];
  t.same(values({ typeId: 'OS', operatingSystems }), { type: 'Linux', version: '6.1.0' });
  t.same(values({ typeId: 'OS', operatingSystems }, nobody), { type: '', version: '' });
  t.equal(values({ typeId: 'DOMAIN', domains: ['x'] }), '');
  t.same(values({ typeId: 'MAC', macAddresses: ['bb'] }), ['aa']);
  t.same(values({ typeId: 'MAC', macAddresses: ['bb'] }, nobody), []);
  const { isRunning, hash, signerFingerprints } = stopped;
  const shownB = { path: '/b', isRunning, hash, signerFingerprints };
  const absent = { isRunning: false, hash: '', signerFingerprints: [] };
  const [first] = processes;
  t.same(values({ typeId: 'PROCESS', process: first }), { osType: 'Linux', ...shownB });
  t.same(values({ typeId: 'PROCESS', process: first }, nobody), {
    osType: 'Linux',
    path: '/a',
    ...absent,
  });
  t.same(values({ typeId: 'PROCESS_MULTI', semantic: 'AllOf', processes }), [
    { osType: 'Linux', path: '/a', ...absent },
    { osType: 'Windows', ...shownB },
  ]);
  t.end();
});

t.test('a type that is not known fails, and says so', (t) => {
  const check = checkOf({ typeId: 'MOOD' });
  t.equal(reasonInWords(check, nobody, 0), 'The check is of unknown type MOOD.');
  const query = JSON.parse(queryText(check, subjectOf({ data: dataOf({}) }), 0));
  t.equal(query.isPassing, false);
  t.throws(() => failureOf(check, nobody, 0), { message: 'no posture check type MOOD' });
  t.end();
});

t.test('words list five things, or four and how many more, and 200 characters of a text', (t) => {
  const domains = Array.from({ length: 5 }, (_, i) => `d${i}.example`);
  const words = (more: readonly string[]) =>
    reasonInWords(checkOf({ typeId: 'DOMAIN', domains: [...domains, ...more] }), nobody, 0);
  t.match(words([]), 'wanted d0.example, d1.example, d2.example, d3.example or d4.example.');
  t.match(words(['e', 'f']), 'wanted d0.example, d1.example, d2.example, d3.example or 3 others.');
  const processes = Array.from({ length: 9000 }, (_, i) => ({
    osType: 'Linux' as const,
    path: `/${i}`,
  }));
  const many = checkOf({ typeId: 'PROCESS_MULTI', semantic: 'AllOf', processes });
  t.match(reasonInWords(many, nobody, 0), '/3 was not reported yet and 8996 others.');
  const domain = { checkId: '', domain: 'x'.repeat(300), at: 0 };
  const long = reasonInWords(
    checkOf({ typeId: 'DOMAIN', domains }),
    subjectOf({ data: dataOf({ domain }) }),
    0,
  );
  t.match(long, `Is in the domain ${'x'.repeat(200)}…; wanted d0.example`);
  t.end();
});
