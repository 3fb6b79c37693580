// Identities that enroll by one-time token, and their certificates.

import { ApiClient } from './api-client.ts';
import { clientKey } from './client-key.ts';
import type { RequestTemplate } from './load/job.ts';
import type { Marks } from './marks.ts';
import { type Bulk, identityBody } from './network.ts';
import { Refusal } from './refusal.ts';
import { created, number, post } from './requests.ts';
import type { Target } from './target.ts';

/** The session that creates identities, and the options. */
export interface Enrolling {
  readonly target: Target;
  readonly marks: Marks;
  readonly adminToken: string;
  readonly bulk: Bulk;
  /** Text that is unique to this call. */
  readonly runName: string;
  /** Role attributes; those that the twelve policies select if absent. */
  readonly attributes?: readonly string[];
}

/** Creates identities that wait for their enrollment. @returns the tokens */
export async function enrollmentTokens(
  { target, marks, adminToken, bulk, runName, attributes }: Enrolling,
  count: number,
): Promise<readonly string[]> {
  const identity = JSON.parse(identityBody(marks, `ott-${runName}-{{n}}`, attributes));
  const body = { ...identity, enrollment: { ott: true } };
  const request = post('/edge/management/v1/identities', adminToken, JSON.stringify(body), number);
  await bulk(count, request, created('identities'));
  const admin = new ApiClient(target);
  admin.token = adminToken;
  const tokens: string[] = [];
  for (let offset = 0; tokens.length < count; offset += pageRows) {
    const query = new URLSearchParams({
      filter: `name contains "${marks.name(`ott-${runName}-`)}"`,
      limit: String(pageRows),
      offset: String(offset),
    });
    // Not the list of enrollments: the peer cannot filter it by the names of their identities.
    const path = `/edge/management/v1/identities?${query}`;
    const page = (await admin.call('GET', path)) as readonly Waiting[];
    if (page.length === 0) throw new Refusal(`${tokens.length} enrollments instead of ${count}`);
    tokens.push(...page.flatMap(({ enrollment }) => enrollment?.ott?.token ?? []));
  }
  return tokens.slice(0, count);
}

const pageRows = 500;

/** An identity that waits for its enrollment. */
interface Waiting {
  readonly enrollment?: { readonly ott?: { readonly token?: string } };
}

/** The enrollment by each of the tokens, as the Go SDK sends it. */
export async function enrollRequest(tokens: readonly string[]): Promise<RequestTemplate> {
  const { csrPem } = await clientKey();
  return {
    method: 'POST',
    path: '/edge/client/v1/enroll?method=ott&token={{token}}',
    headers: { 'content-type': 'application/x-pem-file', accept: 'application/json' },
    body: csrPem,
    slots: { token: { kind: 'list', values: tokens, every: 1 } },
  };
}

/** The answer of an enrollment: a new certificate. */
export const enrolledAnswer = { status: 200, idAfter: '"cert":"' } as const;

/** Enrolls new identities. @returns their chains in PEM */
export async function enrolledChains(
  enrolling: Enrolling,
  count: number,
): Promise<readonly string[]> {
  const tokens = await enrollmentTokens(enrolling, count);
  const texts = await enrolling.bulk(count, await enrollRequest(tokens), enrolledAnswer);
  return texts.map((text) => JSON.parse(`"${text}"`) as string);
}
