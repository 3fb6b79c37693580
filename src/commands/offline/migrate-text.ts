// The report of a migration as text for people. What is long is cut, and stands in the JSON.

import type { MigrationReport, ReportedRemark } from '../../migrate/migration-report.ts';
import type { AccessDifference, AccessProof } from '../../migrate/proof/access-proof.ts';
import type { BoundedList } from '../../migrate/proof/bounded-list.ts';
import type { CertificateProof } from '../../migrate/proof/certificate-proof.ts';
import type { TokenProof } from '../../migrate/proof/token-proof.ts';

/** How a migration ended. */
export interface Outcome {
  /** The first word of the report. */
  readonly verb: 'migrated' | 'checked' | 'refused';
  /** Where the whole report is; undefined where it is kept nowhere. */
  readonly file: string | undefined;
}

/** Things of one sort that are listed. @bound */
const listedMax = 20;

/** The lines of the report. They hold text of others, which may try to steer a terminal. */
export function reportLines(report: MigrationReport, outcome: Outcome): string[] {
  return [
    ...head(report, outcome),
    ...counts(report),
    ...reasons(report),
    ...remarks(report, outcome),
    ...fields(report),
    ...configuration(report),
    ...sessionLines(report),
    ...nodes(report),
    ...proof(report, outcome),
    ...stops(report),
    ...next(report),
  ];
}

function head(report: MigrationReport, { verb, file }: Outcome): string[] {
  const { home, records, address, source } = report;
  return rows([
    [verb, `${home}, ${counted(records, 'record')}, answers at ${address}`],
    ['source', `${source.database}, OpenZiti ${source.release}, schema ${source.schema}`],
    ['SHA-256', source.sha256],
    ['stopped', `${source.stoppedAt}, the time of the newest change`],
    ...(file === undefined ? [] : [['report', file] as const]),
  ]);
}

function counts({ counts: all }: MigrationReport): string[] {
  const names = ['read', 'taken', 'leftOut', 'changed'] as const;
  const width = Math.max(...Object.keys(all).map(({ length }) => length), 0);
  const titles = ['read', 'taken', 'left out', 'changed'];
  const line = (first: string, cells: readonly string[]) =>
    `${first.padEnd(width)}${cells.map((cell) => cell.padStart(10)).join('')}`;
  const lines = Object.entries(all).map(([bucket, own]) =>
    line(
      bucket,
      names.map((name) => String(own[name])),
    ),
  );
  return ['', line('', titles), ...lines];
}

function reasons({ reasons: all }: MigrationReport): string[] {
  const lines = Object.entries(all).map(([bucket, reason]) => `${bucket}: ${reason}`);
  return section('Left out by intention', lines);
}

const remarkTitles = [
  ['damaged', 'Damaged'],
  ['leftOut', 'Left out'],
  ['changed', 'Changed'],
  ['kept', 'Kept as it is, although a write of it would be refused'],
] as const;

function remarks({ remarks: all, furtherRemarks }: MigrationReport, outcome: Outcome): string[] {
  const lists = remarkTitles.flatMap(([what, title]) => {
    const own = all.filter((remark) => remark.what === what);
    const list = { shown: own.map(remarkLine), furtherCount: 0 };
    return section(title, bounded(list, outcome));
  });
  if (furtherRemarks === 0) return lists;
  return [...lists, `${furtherRemarks} further remarks are only counted.`];
}

function remarkLine({ bucket, id, name, text }: ReportedRemark): string {
  const called = name === undefined ? '' : ` (${name})`;
  return `${bucket} ${id}${called}: ${text}`;
}

function fields({ droppedFields, unknownFields, unknownBuckets }: MigrationReport): string[] {
  const lines = (all: MigrationReport['droppedFields']) =>
    Object.entries(all).flatMap(([bucket, own]) =>
      Object.entries(own).map(([field, times]) => `${bucket}.${field}: ${counted(times, 'time')}`),
    );
  return [
    ...section('Fields that have no place', lines(droppedFields)),
    ...section('Fields that no known release has', lines(unknownFields)),
    ...section('Buckets that no known release has', unknownBuckets),
  ];
}

/** Keys are grouped by what it means that they have no place. */
function configuration({ configuration: { notices, leftOver } }: MigrationReport): string[] {
  const byMeaning = new Map<string, string[]>();
  for (const { path, value, meaning } of leftOver) {
    const keys = byMeaning.get(meaning) ?? [];
    byMeaning.set(meaning, keys);
    keys.push(`  ${path} = ${value}`);
  }
  const keys = [...byMeaning].flatMap(([meaning, own]) => [meaning, ...own]);
  return [...section('Configuration', notices), ...section('Keys that have no place', keys)];
}

function sessionLines({ sessions }: MigrationReport): string[] {
  const kept =
    sessions === 'keep'
      ? 'API sessions that were alive go on with their tokens.'
      : 'API sessions are dropped: everybody logs in again (--sessions keep).';
  return section('Sessions', [
    kept,
    'Clients that logged in by OIDC log in again: devices with certificates by themselves, people by hand.',
    'Clients ask for new service sessions, and send their posture data again.',
  ]);
}

function nodes({ nodes: all, address }: MigrationReport): string[] {
  if (all.length < 2) return [];
  return section('Controllers of the network', [
    ...all.map((node) => `${node.id} (${node.name}) at ${node.address}`),
    `${address} answers from now on, the other addresses do not.`,
    'Devices know all of them: let further nodes join by edge-control cluster join.',
  ]);
}

function proof({ proof: { access, certificates, tokens } }: MigrationReport, outcome: Outcome) {
  return [
    ...section(
      'Proof',
      rows([
        ['access', accessText(access)],
        ['certificates', certificatesText(certificates)],
        ['enrollments', tokensText(tokens)],
      ]),
    ),
    ...section(
      'Differences of access',
      bounded(mapped(access.differences, differenceLine), outcome),
    ),
    ...section(
      'Certificates that are not accepted',
      bounded(
        mapped(
          certificates.refused,
          ({ kind, id, name, fingerprint, reason }) =>
            `${kind} ${id} (${name}), certificate ${fingerprint}: ${reason}`,
        ),
        outcome,
      ),
    ),
    ...section(
      'Enrollment JWTs that are not accepted',
      bounded(
        mapped(
          tokens.refused,
          ({ id, method, holder, reason }) => `${id} (${method} of ${holder}): ${reason}`,
        ),
        outcome,
      ),
    ),
  ];
}

function accessText({ identities, services, pairs, differences }: AccessProof): string {
  const members = [counted(identities, 'identity', 'identities'), counted(services, 'service')];
  const count = differences.shown.length + differences.furtherCount;
  return `${members.join(', ')}, ${counted(pairs, 'pair')}: ${count === 0 ? 'as before' : counted(count, 'difference')}`;
}

function certificatesText({ checked, accepted }: CertificateProof): string {
  return `${accepted} of ${checked} that the network issued are accepted`;
}

function tokensText({ checked, verified, ended }: TokenProof): string {
  const over = ended === 0 ? '' : `, and ${ended} of them ended before`;
  return `${verified} of ${checked} JWTs are verified by the server key${over}`;
}

function differenceLine({ link, from, to, linkedBy }: AccessDifference): string {
  const shown = ({ id, name }: AccessDifference['from']) => `${id} (${name})`;
  const who = linkedBy === 'peer' ? 'only in the database' : 'only in the new home';
  return `${link}: ${shown(from)}, ${shown(to)}: ${who}`;
}

function stops({ stops: all }: MigrationReport): string[] {
  const lines = (isAgreed: boolean) =>
    all
      .filter((one) => one.isAgreed === isAgreed)
      .flatMap(({ what, shown, furtherCount }) => [
        isAgreed ? `--leave-out ${what}` : `${what}: leave it out with --leave-out ${what}`,
        ...shown.slice(0, listedMax).map((text) => `  ${text}`),
        ...more(furtherCount + Math.max(0, shown.length - listedMax)).map((text) => `  ${text}`),
      ]);
  return [
    ...section('Left out as you said', lines(true)),
    ...section('What cannot be taken over', lines(false)),
  ];
}

function next({ next: commands }: MigrationReport): string[] {
  return section('Next', commands);
}

/** Lines under a title; nothing without lines. */
function section(title: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return [];
  return ['', title, ...lines.map((line) => `  ${line}`)];
}

function mapped<T, U>({ shown, furtherCount }: BoundedList<T>, map: (one: T) => U): BoundedList<U> {
  return { shown: shown.map(map), furtherCount };
}

function bounded({ shown, furtherCount }: BoundedList<string>, { file }: Outcome): string[] {
  const left = furtherCount + Math.max(0, shown.length - listedMax);
  return [...shown.slice(0, listedMax), ...more(left, file)];
}

function more(count: number, file?: string): string[] {
  if (count === 0) return [];
  return [`and ${count} more${file === undefined ? '' : `, see ${file}`}`];
}

/** Words under each other, each with its text. */
function rows(all: readonly (readonly [word: string, text: string])[]): string[] {
  const width = Math.max(...all.map(([word]) => word.length));
  return all.map(([word, text]) => `${word.padEnd(width)}  ${text}`);
}

function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
