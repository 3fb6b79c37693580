// Routers that an administrator creates, and their enrollment.

import { ApiClient } from '../api-client.ts';
import { clientKey } from '../client-key.ts';
import { enrolledAnswer } from '../enrolled.ts';
import type { Slot } from '../load/job.ts';
import { Refusal } from '../refusal.ts';
import { created, number, post } from '../requests.ts';
import type { Stage } from '../stage.ts';

/** A router that has enrolled. */
export interface RouterIdentity {
  readonly id: string;
  /** Its certificate with its chain; all are for one key. */
  readonly chainPem: string;
}

/** The part of a stage that creating routers needs. */
export type RouterStage = Pick<Stage, 'controller' | 'network'>;

/**
 * Creates routers with these role attributes, one list per router, and enrolls them. All lists have
 * the same length in JSON.
 */
export async function enrolledRouters(
  stage: RouterStage,
  attributes: readonly (readonly string[])[],
): Promise<readonly RouterIdentity[]> {
  const { bulk, adminToken } = stage.network;
  const count = attributes.length;
  const roles = attributes.map((list) => JSON.stringify(list));
  const body = '{"name":"fleet-{{n}}","roleAttributes":{{roles}}}';
  const slots: Record<string, Slot> = {
    ...number,
    roles: { kind: 'list', values: roles, every: 1 },
  };
  const create = post('/edge/management/v1/edge-routers', adminToken, body, slots);
  const ids = await bulk(count, create, created('edge-routers'));
  const tokenOf = await enrollmentTokens(stage, count);
  const tokens = ids.map((id) => tokenOf.get(id) ?? '');
  const path = '/edge/client/v1/enroll?method=erott&token={{token}}';
  const enroll = post(path, '', '{"certCsr":{{request}},"serverCertCsr":{{request}}}', {
    token: { kind: 'list', values: tokens, every: 1 },
    request: { kind: 'list', values: await requestsFor(ids), every: 1 },
  });
  const texts = await bulk(count, enroll, enrolledAnswer);
  return texts.map((text, n) => ({
    id: ids[n] ?? '',
    chainPem: JSON.parse(`"${text}"`) as string,
  }));
}

/** A certificate request in JSON for each router, all of the same length. */
async function requestsFor(ids: readonly string[]): Promise<readonly string[]> {
  const { requestFor } = await clientKey();
  const requests: string[] = [];
  for (const id of ids) requests.push(JSON.stringify(await requestFor(id)));
  const length = Math.max(...requests.map((request) => request.length));
  return requests.map((request) => request.padEnd(length));
}

/** The tokens of the routers that wait for their enrollment, by id. */
async function enrollmentTokens(
  { controller, network }: RouterStage,
  count: number,
): Promise<ReadonlyMap<string, string>> {
  const admin = new ApiClient(controller);
  admin.token = network.adminToken;
  const tokens = new Map<string, string>();
  for (let offset = 0; tokens.size < count; offset += pageRows) {
    const query = new URLSearchParams({
      filter: 'name contains "fleet-"',
      limit: String(pageRows),
      offset: String(offset),
    });
    const path = `/edge/management/v1/edge-routers?${query}`;
    const page = (await admin.call('GET', path)) as readonly Waiting[];
    if (page.length === 0) throw new Refusal(`${tokens.size} enrollments instead of ${count}`);
    for (const { id, enrollmentToken } of page) tokens.set(id, enrollmentToken ?? '');
  }
  return tokens;
}

const pageRows = 500;

/** A router that waits for its enrollment. */
interface Waiting {
  readonly id: string;
  readonly enrollmentToken?: string;
}
