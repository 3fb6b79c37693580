// The checks that every answer of a case must pass: the published schema, our own description, the
// declared statuses, the envelope of errors.

import { operations } from '../../../src/assembly/operations.ts';
import type { AnyOperation } from '../../../src/declare/operations/operation.ts';
import { Routes } from '../../../src/http/application/routes.ts';
import { type Answer, urlOf } from '../../simulated/network.ts';
import { descriptionProblem } from './described.ts';
import { Exercised } from './exercised.ts';
import { linkProblem } from './link-check.ts';
import { answerProblem, keyOf, publishedByKey } from './published.ts';

const routes = new Routes(operations);

/** Evaluates answers, and notes which operation answered what. */
export class AnswerCheck {
  readonly exercised = new Exercised();

  /** What is wrong with the answer to a request; undefined when nothing is. */
  problem(method: string, path: string, answer: Answer): string | undefined {
    const [relative = ''] = urlOf(path).split('?');
    const match = routes.match(method, relative);
    if (match.found !== 'operation') return answer.status < 300 ? undefined : errorProblem(answer);
    const { operation, api } = match;
    // HEAD is answered by the operation of GET, without a body.
    if (method !== operation.method) return undefined;
    this.exercised.note(api, operation, answer.status);
    const key = keyOf(method, api, operation.path);
    const problem =
      publishedProblem(key, answer) ??
      descriptionProblem(api, operation, answer) ??
      (isJson(answer) ? linkProblem(api, answer.data) : undefined) ??
      (answer.status < 300
        ? undefined
        : (errorProblem(answer) ?? statusProblem(operation, answer)));
    return problem === undefined ? undefined : `${key}: ${problem}`;
  }
}

function isJson({ headers }: Answer): boolean {
  return headers['content-type'] === 'application/json';
}

function publishedProblem(key: string, answer: Answer): string | undefined {
  const operation = publishedByKey.get(key);
  if (operation === undefined || answer.status >= 300 || !isJson(answer)) return undefined;
  return answerProblem(operation, answer.status, answer.json());
}

function statusProblem({ errors }: AnyOperation, { status, cause }: Answer): string | undefined {
  // A body that refers to something unknown is 404 in places (behaviour/errors) no list names.
  const isReference = status === 404 && cause?.['field'] !== undefined;
  return isReference || errors.includes(status) ? undefined : `${status} is not declared`;
}

function errorProblem(answer: Answer): string | undefined {
  const { error, meta } = answer.json() as {
    error: Record<string, unknown>;
    meta: Record<string, unknown>;
  };
  const text = JSON.stringify({ error, meta });
  const isWhole =
    typeof error['code'] === 'string' &&
    typeof error['message'] === 'string' &&
    /^[0-9a-zA-Z.-]{9,10}$/.test(String(error['requestId'])) &&
    meta['apiVersion'] === '0.0.1' &&
    meta['apiEnrollmentVersion'] === '0.0.1';
  return isWhole ? undefined : `not the envelope of an error: ${text}`;
}
