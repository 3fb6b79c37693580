// The data integrity run: one record that holds the last run, or the one in progress
// (behaviour/database#integrity).

import Type from 'typebox';
import { integrityRun } from '../../machines/integrity-run.ts';
import { field, time } from '../declare/kinds/field.ts';
import { defineKind, type RecordOf } from '../declare/kinds/kind.ts';

const flag = () => field(Type.Boolean(), { fallback: false, write: 'never' });
const text = () => field(Type.String(), { fallback: '', write: 'never' });
const findings = Type.Array(Type.Object({ description: Type.String(), fixed: Type.Boolean() }));

/** The stored side of integrity runs. Each home has the record from its first start on. */
export const integrityRunKind = defineKind({
  kind: 'integrityRun',
  version: 1,
  fields: {
    state: field(Type.String(), { fallback: 'idle', write: 'never', show: 'never' }),
    fixingErrors: flag(),
    startTime: time({ write: 'never' }),
    endTime: time({ write: 'never' }),
    error: text(),
    results: field(findings, { fallback: [], write: 'never' }),
    tooManyErrors: flag(),
  },
  many: [],
  // There is only one, so its id says enough.
  calledBy: [],
  machine: { declaration: integrityRun, creates: 'create' },
});

/** The id of the record. */
export const integrityRunId = 'last';

/** The stored integrity run. */
export type IntegrityRunRecord = RecordOf<typeof integrityRunKind.fields>;
