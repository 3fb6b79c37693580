// Stores the submission of an endpoint: the data of its identity, and the events of its API session
// (behaviour/posture#responses).

import {
  latestProcesses,
  postureBytes,
  submissionBounds,
  withinBytes,
} from '../../posture/data-bounds.ts';
import { identityKind } from '../../records/identity.ts';
import { type PostureDataRecord, postureDataKind } from '../../records/posture-data.ts';
import { hexDigits } from '../../records/posture-process.ts';
import { boundsOf } from '../../settings/bounds.ts';
import type { Context } from '../context.ts';
import type { PostureResponse } from './posture-response.ts';

/** The events at an endpoint. */
export interface EndpointEvent {
  readonly woken: boolean;
  readonly unlocked: boolean;
}

type Process = PostureDataRecord['processes'][number];
type Submitted = Pick<PostureDataRecord, 'os' | 'domain' | 'mac' | 'processes'>;

/**
 * Stores the responses of the caller's endpoint, where later ones override earlier ones, and
 * returns the reported events. @throws ApiError POSTURE_DATA_TOO_LARGE.
 */
export function submit(
  context: Context,
  responses: readonly PostureResponse[],
): EndpointEvent | undefined {
  const events = responses.filter(isEvent);
  if (events.length < responses.length) putData(context, responses);
  stampCaller(context);
  return report(context, events);
}

/** Each response does that, even without new data (behaviour/posture#effects). */
function stampCaller({ env, tx, now, caller }: Context): void {
  const slot = env.store.table(identityKind).peek(caller.identity.id)?.slot;
  if (slot !== undefined) tx.afterCommit(() => env.access.changeStamps.stampMember(slot, now));
}

type Event = Extract<PostureResponse, { readonly typeId: 'ENDPOINT_STATE' | 'MFA' }>;

function isEvent(response: PostureResponse): response is Event {
  return response.typeId === 'ENDPOINT_STATE' || response.typeId === 'MFA';
}

/** Writes new data. A response that only repeats the stored data updates its times in memory. */
function putData(context: Context, responses: readonly PostureResponse[]): void {
  const { env, tx, now, caller } = context;
  const { posture } = env;
  const identityId = caller.identity.id;
  const before = posture.dataOf(identityId);
  const base = before ?? { ...empty, id: env.ids.entity(), createdAt: now, tags: {}, identityId };
  const submitted = submittedOver(base, responses, now, boundsOf(submissionBounds, env.bounds));
  const after = { ...base, ...submitted, updatedAt: now };
  if (before !== undefined && posture.isAlike(before, after)) {
    tx.afterCommit(() => posture.repeats.note(after));
  } else {
    const isMore = before === undefined || postureBytes(after) > postureBytes(before);
    if (isMore) env.memory.admitRecord();
    tx.put(env.store.table(postureDataKind), after);
  }
}

const empty: Submitted = { os: undefined, domain: undefined, mac: undefined, processes: [] };

function submittedOver(
  before: Submitted,
  responses: readonly PostureResponse[],
  at: number,
  bounds: typeof submissionBounds,
): Submitted {
  let { os, domain, mac } = before;
  const processes: Process[] = [];
  for (const response of responses) {
    const checkId = response.id;
    switch (response.typeId) {
      case 'OS': {
        const { type, version, build = '' } = response;
        os = { checkId, type, version, build, at };
        break;
      }
      case 'DOMAIN':
        domain = { checkId, domain: response.domain, at };
        break;
      case 'MAC':
        mac = { checkId, addresses: digitsOf(response.macAddresses), at };
        break;
      case 'PROCESS':
      case 'PROCESS_MULTI': {
        const { path = '', isRunning = false, hash = '', signerFingerprints = [] } = response;
        const signers = digitsOf(signerFingerprints);
        const told = { checkId, path, isRunning, hash: hexDigits(hash) };
        processes.push({ ...told, signerFingerprints: signers, at });
        break;
      }
    }
  }
  const kept = latestProcesses(before.processes, processes, bounds);
  return withinBytes({ os, domain, mac, processes: kept }, before, bounds.postureBytesMax);
}

/** Normalised like in checks; texts without a digit are dropped. */
function digitsOf(texts: readonly string[]): string[] {
  return texts.map(hexDigits).filter((text) => text !== '');
}

/** Stamps the API session; undefined if there was no event. */
function report(
  { env, tx, now, caller }: Context,
  events: readonly Event[],
): EndpointEvent | undefined {
  const woken = events.some((event) => event.woken === true);
  const unlocked = events.some((event) => event.unlocked === true);
  if (!woken && !unlocked) return undefined;
  const { id } = caller.session.record;
  env.send(tx, 'apiSession', id, { type: 'reportEndpoint', now, woken, unlocked });
  return { woken, unlocked };
}
