// A report on a cluster as text for people.

import { boundText } from '../../cluster/log/store-room.ts';
import type { Member } from '../../cluster/membership.ts';
import { printable } from '../../platform/printable.ts';
import { type ClusterReport, isSilent } from './report.ts';

/** The lines of the report. */
export function reportLines(report: ClusterReport): string[] {
  const { dataSetId, generation, stream, snapshots, problems, notes } = report;
  const kept = snapshots.map(({ lsn, bytes }) => `LSN ${lsn} (${bytes} bytes)`);
  return [
    `cluster    ${dataSetId}, generation ${generation}`,
    `stream     messages ${stream.first} to ${stream.last}${bytesText(report)}`,
    `snapshots  ${kept.length === 0 ? 'none' : kept.join(', ')}${ageText(report)}`,
    ...report.bounds.map((bound) => `room       ${boundText(bound)}`),
    '',
    ...table([headOf(report), ...report.members.map((one) => rowOf(one, report).map(printable))]),
    ...(report.members.length === 0 ? [noMembers(report)] : []),
    ...section('notes', notes),
    ...section('problems', problems),
    ...(problems.length === 0 ? ['', 'All is well.'] : []),
  ];
}

function bytesText({ store }: ClusterReport): string {
  return store === undefined ? '' : `, ${store.streamBytes} bytes`;
}

function ageText({ sharedAgeMs: ageMs }: ClusterReport): string {
  if (ageMs === undefined) return '';
  if (ageMs === 0) return '; nothing has changed since';
  return `; the newest is ${Math.round(ageMs / 1000)} s old`;
}

function noMembers({ knowsMembers }: ClusterReport): string {
  return knowsMembers ? '(no node has been there)' : '(the nodes are not known)';
}

/** Names have a column where a node has one. */
function headOf({ members }: ClusterReport): string[] {
  return ['node', ...(hasNames(members) ? ['name'] : []), ...head];
}

function hasNames(members: readonly Member[]): boolean {
  return members.some(({ name }) => name !== undefined);
}

const head = ['role', 'term', 'LSN', 'lag', 'clock', 'takeovers', 'version', 'address', 'heard'];

function rowOf(member: Member, { atMs, leaderId, full, members }: ClusterReport): string[] {
  const { id, name = '-', term, last, condition, version, advertised } = member;
  const role = member.leads === 'never' ? `${member.role}, never leads` : member.role;
  const isAway = isSilent(member, atMs);
  const known = isAway ? undefined : condition;
  return [
    id === leaderId ? `${id} *` : id,
    ...(hasNames(members) ? [name] : []),
    isAway ? (full === undefined ? 'away' : 'unknown') : role,
    String(term),
    String(last.lsn),
    known === undefined ? '-' : `${known.lagMs} ms`,
    known === undefined ? '-' : `${known.clockSkewMs > 0 ? '+' : ''}${known.clockSkewMs} ms`,
    known === undefined ? '-' : String(known.takeovers),
    version,
    advertised,
    `${Math.max(0, Math.round((atMs - member.atMs) / 1000))} s ago`,
  ];
}

function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_name, column) => {
    return Math.max(...rows.map((row) => row[column]?.length ?? 0));
  });
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

function section(name: string, sentences: readonly string[]): string[] {
  return sentences.length === 0 ? [] : ['', `${name}:`, ...sentences.map((text) => `- ${text}`)];
}
