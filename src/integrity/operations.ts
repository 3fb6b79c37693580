// The operations of integrity runs: they start one and show its results (behaviour/database).

import Type from 'typebox';
import type { Environment } from '../declare/operations/environment.ts';
import { type Operation, operationFor, type Reply } from '../declare/operations/operation.ts';
import type { IntegrityPart } from './integrity-part.ts';

type IntegrityEnvironment = Environment & IntegrityPart;

const operation = operationFor<IntegrityEnvironment>();

/** Both show one and the same run. */
const apis = ['management', 'fabric'] as const;

const begun: Reply = Object.freeze({ form: 'data', status: 202, data: ['{}'] });

function startOf(how: 'check' | 'fix', summary: string): Operation<IntegrityEnvironment> {
  return operation({
    id: `${how}DataIntegrity`,
    apis,
    method: 'POST',
    path: `/database/${how}-data-integrity`,
    permission: 'admin',
    summary,
    success: 202,
    errors: [401, 429],
    decide({ env, tx }) {
      env.integrity.start(tx, how === 'fix');
      return begun;
    },
  });
}

const time = () => Type.String({ format: 'date-time' });

/** The last run. A time that is not reached yet is the zero time. */
const resultsSchema = Type.Object(
  {
    inProgress: Type.Boolean(),
    fixingErrors: Type.Boolean(),
    startTime: time(),
    endTime: time(),
    error: Type.String(),
    tooManyErrors: Type.Boolean(),
    results: Type.Array(Type.Object({ description: Type.String(), fixed: Type.Boolean() })),
  },
  { title: 'dataIntegrityCheckDetails' },
);

/** `/database/check-data-integrity`, `/database/fix-data-integrity` and their results. */
export const dataIntegrity: readonly Operation<IntegrityEnvironment>[] = [
  startOf('check', 'Look whether all data is whole; answered when it has begun'),
  startOf(
    'fix',
    'Look whether all data is whole, and put right what can be; answered as it begins',
  ),
  operation({
    id: 'dataIntegrityResults',
    apis,
    path: '/database/data-integrity-results',
    answered: 'leader',
    permission: 'admin',
    summary: 'What the last look at the data has found',
    answer: resultsSchema,
    isList: 'whole',
    errors: [401, 429],
    decide({ env }) {
      const { startTime, endTime, ...rest } = env.integrity.results;
      const shown = { ...rest, startTime: textOf(startTime), endTime: textOf(endTime) };
      const totalCount = rest.results.length;
      const list = { limit: -1, offset: 0, totalCount, filterableFields: [] };
      return { form: 'data', status: 200, data: [JSON.stringify(shown)], list };
    },
  }),
];

/** Clients with strict types refuse an answer without its times. */
function textOf(timeMs: number | undefined): string {
  return timeMs === undefined ? '0001-01-01T00:00:00Z' : new Date(timeMs).toISOString();
}
