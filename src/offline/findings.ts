// The findings of a check as lines for operators and scripts: what is wrong, where, and what to do.

import type { FileFinding } from '../../snapshots/check/check-log.ts';
import type { RecordFinding } from '../integrity/record-checks.ts';

/** The line of a fault in a file. */
export function fileLine({ file, offset, lsn, what, advice }: FileFinding): string {
  const at = offset === undefined ? '' : ` at offset ${offset}`;
  const from = lsn === undefined ? '' : `, LSN ${lsn}`;
  return oneLine(`${file}${at}${from}: ${what}; ${advice}`);
}

/** The line of a record that breaks a rule of its kind. */
export function recordLine({ kind, id, field, description, fix }: RecordFinding): string {
  const where = field === undefined ? '' : `, field ${field}`;
  const advice =
    fix === undefined
      ? 'correct one of the records through the API, or restore a backup'
      : 'have the controller mend it: POST /edge/management/v1/database/fix-data-integrity';
  return oneLine(`${kind} ${id}${where}: ${description}; ${advice}`);
}

/** Names may contain any character, including those that control a terminal. */
function oneLine(text: string): string {
  return text.replace(control, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

const control = /\p{Cc}|\u2028|\u2029/gu;
