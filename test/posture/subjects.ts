// Checks and subjects for tests of what evaluates them, made without a store.

import type { Subject } from '../../src/posture/subject.ts';
import type { PostureCheckRecord } from '../../src/records/posture-check.ts';
import type { PostureDataRecord } from '../../src/records/posture-data.ts';

/** A check as the store would hold it, of what its type needs. */
export function checkOf(own: Partial<PostureCheckRecord>): PostureCheckRecord {
  return Object.freeze({
    id: 'check',
    name: 'the check',
    typeId: 'OS',
    createdAt: 0,
    updatedAt: 0,
    tags: {},
    roleAttributes: [],
    version: 1,
    operatingSystems: undefined,
    domains: undefined,
    macAddresses: undefined,
    process: undefined,
    semantic: undefined,
    processes: undefined,
    timeoutSeconds: undefined,
    promptOnWake: undefined,
    promptOnUnlock: undefined,
    ignoreLegacyEndpoints: undefined,
    ...own,
  });
}

/** Posture data as the store would hold it. */
export function dataOf(own: Partial<PostureDataRecord>): PostureDataRecord {
  return Object.freeze({
    id: 'data',
    createdAt: 0,
    updatedAt: 0,
    tags: {},
    identityId: 'identity',
    os: undefined,
    domain: undefined,
    mac: undefined,
    processes: [],
    ...own,
  });
}

/** A subject of whom nothing is known but what is given. */
export function subjectOf(own: Partial<Subject>): Subject {
  return {
    data: undefined,
    endpoint: undefined,
    enrolledAt: undefined,
    sdk: { type: '', version: '' },
    ...own,
  };
}
