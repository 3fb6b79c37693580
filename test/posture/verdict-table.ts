// Reads verdicts.txt: checks, and below each what is known of subjects and what comes of it.

import { readFileSync } from 'node:fs';
import type { Subject } from '../../src/posture/subject.ts';
import type { PostureCheckRecord } from '../../src/records/posture-check.ts';
import type { PostureDataRecord } from '../../src/records/posture-data.ts';
import { checkOf, dataOf, subjectOf } from './subjects.ts';

/** One row. */
export interface VerdictRow {
  readonly title: string;
  readonly check: PostureCheckRecord;
  readonly subject: Subject;
  readonly now: number;
  /** As `outcomeText` gives it. */
  readonly outcome: string;
  readonly words: string;
}

/** Wall-clock ms that the table's times count from. */
export const start = Date.UTC(2026, 0, 1);

/** The wall-clock ms of a time of the table, in seconds. */
export const atSeconds = (text: string): number => start + Math.round(Number(text) * 1000);

/** All rows of the table. */
export function verdictRows(): VerdictRow[] {
  const text = readFileSync(new URL('./verdicts.txt', import.meta.url), 'utf8');
  const rows: VerdictRow[] = [];
  let check: PostureCheckRecord | undefined;
  let given: string | undefined;
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const words = line.trim();
    if (line.startsWith('    ')) {
      if (check === undefined || given === undefined) throw new Error(`words too early: ${line}`);
      rows.push(rowOf(check, given, words));
      given = undefined;
    } else if (line.startsWith('  ')) {
      given = words;
    } else {
      const [typeId = '', ...json] = words.split(' ');
      const own = JSON.parse(json.join(' ')) as Partial<PostureCheckRecord>;
      check = checkOf({ typeId, createdAt: start, updatedAt: start, ...own });
    }
  }
  return rows;
}

function rowOf(check: PostureCheckRecord, line: string, words: string): VerdictRow {
  const [given = '', outcome = ''] = line.split(' => ');
  const facts = given.split('; ').map((fact) => fact.split(' '));
  const subject = { endpoint: {} as Record<string, number>, data: {} as Data };
  let now = start;
  let enrolledAt: number | undefined;
  let sdk = { type: '', version: '' };
  for (const [what = '', ...values] of facts) {
    const [value = ''] = values;
    if (what === 'now') now = atSeconds(value);
    else if (what === 'enrolled') enrolledAt = atSeconds(value);
    else if (what === 'sdk') sdk = { type: value, version: values[1] ?? '' };
    else if (what in endpointFields) {
      subject.endpoint[endpointFields[what as 'passed']] = atSeconds(value);
    } else if (what !== 'nothing') addData(subject.data, what, values);
  }
  const isAway = given.includes('elsewhere');
  const { endpoint } = subject;
  return {
    title: `${check.typeId}: ${line}`,
    check,
    now,
    outcome,
    words,
    subject: subjectOf({
      data: Object.keys(subject.data).length === 0 ? undefined : dataOf(subject.data),
      endpoint: isAway
        ? undefined
        : { mfaPassedAt: undefined, wokenAt: undefined, unlockedAt: undefined, ...endpoint },
      enrolledAt,
      sdk,
    }),
  };
}

const endpointFields = {
  passed: 'mfaPassedAt',
  woken: 'wokenAt',
  unlocked: 'unlockedAt',
} as const;

type Data = { -readonly [K in keyof PostureDataRecord]?: PostureDataRecord[K] };

/** `process <check> <path> running|stopped [hash [signer…]]`; `-` stands for an empty text. */
function addData(data: Data, what: string, values: readonly string[]): void {
  const [first = '', second = '', state = '', hash = '', ...signers] = values.map((value) =>
    value === '-' ? '' : value,
  );
  const common = { checkId: 'other', at: start };
  switch (what) {
    case 'os':
      data.os = { ...common, type: first, version: values.slice(1).join(' '), build: '' };
      break;
    case 'domain':
      data.domain = { ...common, domain: first };
      break;
    case 'mac':
      data.mac = { ...common, addresses: first === '' ? [] : first.split(',') };
      break;
    case 'process': {
      const before = data.processes ?? [];
      const reported = { path: second, isRunning: state === 'running', hash };
      const at = start + before.length;
      data.processes = [
        ...before,
        { checkId: first, ...reported, signerFingerprints: signers, at },
      ];
      break;
    }
    case 'elsewhere':
      break;
    default:
      throw new Error(`no such fact: ${what}`);
  }
}
