// Every row of verdicts.txt: the verdict, when it fails by itself, its words, and the query and the
// failure that clients and administrators are shown of it.

import t from 'tap';
import { evaluate } from '../../src/posture/evaluate-check.ts';
import { failureOf } from '../../src/posture/failure.ts';
import { timeoutRemainingSeconds } from '../../src/posture/mfa.ts';
import { queryText } from '../../src/posture/queries.ts';
import { reasonInWords } from '../../src/posture/reason-texts.ts';
import { definitionProblem } from '../contract/harness/published.ts';
import { start, type VerdictRow, verdictRows } from './verdict-table.ts';

for (const row of verdictRows()) {
  const { check, subject, now } = row;
  t.equal(outcomeText(row), row.outcome, row.title);
  t.equal(reasonInWords(check, subject, now), row.words, `${row.title}, in words`);
  const query = JSON.parse(queryText(check, subject, now)) as Record<string, unknown>;
  t.equal(query['isPassing'], evaluate(check, subject, now).isPassing);
  t.equal(definitionProblem('postureQuery', query), undefined, `${row.title}, query`);
  const failure = failureOf(check, subject, now);
  t.equal(definitionProblem('postureCheckFailure', failure), undefined, `${row.title}, failure`);
}

function outcomeText({ check, subject, now }: VerdictRow): string {
  const { isPassing, failsAt } = evaluate(check, subject, now);
  const until = failsAt === undefined ? '' : ` until ${(failsAt - start) / 1000}`;
  const left = check.typeId === 'MFA' ? timeoutRemainingSeconds(check, subject, now) : -1;
  return `${isPassing ? 'passes' : 'fails'}${until}${left === -1 ? '' : `, left ${left}`}`;
}
