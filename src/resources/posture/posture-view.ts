// The known posture of an identity and its API sessions (behaviour/posture#views).

import Type from 'typebox';
import { detail } from '../../declare/operations/operation.ts';
import { rowOf } from '../../declare/resources/crud.ts';
import { isoTimeOrZero } from '../../declare/resources/view.ts';
import { isPrompted, mfaPassedAt } from '../../posture/mfa.ts';
import type { Subject } from '../../posture/subject.ts';
import { type ApiSessionRecord, apiSessionKind } from '../../records/api-session.ts';
import type { IdentityRecord } from '../../records/identity.ts';
import { sdkInfoSchema } from '../../records/info-schemas.ts';
import type { PostureDataRecord } from '../../records/posture-data.ts';
import { boundsOf } from '../../settings/bounds.ts';
import type { Row } from '../../store/record.ts';
import { type Context, type Operation, operation } from '../context.ts';
import { identities } from '../identities/identity.ts';

const text = Type.String();
const flag = Type.Boolean();
const moment = Type.String({ format: 'date-time' });
const common = { postureCheckId: text, timedOut: flag, lastUpdatedAt: moment };

const apiSessionSchema = Type.Object(
  {
    mfa: Type.Object({
      apiSessionId: text,
      passedMfa: flag,
      passedAt: moment,
      passedOnWake: flag,
      passedOnUnlock: flag,
    }),
    endpointState: Type.Object({ wokenAt: moment, unlockedAt: moment }),
    sdkInfo: sdkInfoSchema,
  },
  { title: 'apiSessionPostureData' },
);

const postureDataSchema = Type.Object(
  {
    apiSessionPostureData: Type.Record(Type.String(), apiSessionSchema),
    domain: Type.Object({ ...common, domain: text }),
    mac: Type.Object({ ...common, addresses: Type.Array(text) }),
    os: Type.Object({ ...common, type: text, version: text, build: text }),
    processes: Type.Array(
      Type.Object({
        ...common,
        isRunning: flag,
        binaryHash: text,
        signerFingerprints: Type.Array(text),
      }),
    ),
  },
  { title: 'postureData' },
);

/** `/identities/{id}/posture-data` */
export const postureDataOfIdentity: Operation = operation({
  id: 'getIdentityPostureData',
  path: '/identities/{id}/posture-data',
  answered: 'leader',
  permission: 'identity',
  summary: 'Show what the endpoints of an identity submitted',
  answer: postureDataSchema,
  errors: [401, 404, 429],
  decide(context) {
    const identity = rowOf(context, identities).record;
    const subject = context.env.posture.subjectOf({
      identityId: identity.id,
      apiSessionId: undefined,
    });
    const shown = {
      ...submitted(subject.data),
      apiSessionPostureData: sessionsOf(context, identity, subject),
    };
    return detail([JSON.stringify(shown)]);
  },
});

/** Empty values if nothing was submitted (behaviour/posture#views). Data never expires. */
function submitted(data: PostureDataRecord | undefined) {
  const { os, domain, mac, processes = [] } = data ?? {};
  return {
    os: {
      ...origin(os),
      type: os?.type ?? '',
      version: os?.version ?? '',
      build: os?.build ?? '',
    },
    domain: { ...origin(domain), domain: domain?.domain ?? '' },
    mac: { ...origin(mac), addresses: mac?.addresses ?? [] },
    processes: processes.map((process) => ({
      ...origin(process),
      isRunning: process.isRunning,
      binaryHash: process.hash,
      signerFingerprints: process.signerFingerprints,
    })),
  };
}

function origin(part: { readonly checkId: string; readonly at: number } | undefined) {
  return {
    postureCheckId: part?.checkId ?? '',
    timedOut: false,
    lastUpdatedAt: isoTimeOrZero(part?.at),
  };
}

/** By id of the API session; only the newest ones. */
function sessionsOf({ env }: Context, { id, sdkInfo }: IdentityRecord, subject: Subject) {
  const table = env.store.table(apiSessionKind);
  const rows: Row<ApiSessionRecord>[] = [...table.members('identityId', id)];
  const { postureSessionsShownMax } = boundsOf(viewBounds, env.bounds);
  if (rows.length > postureSessionsShownMax) {
    rows.sort((a, b) => b.record.createdAt - a.record.createdAt);
    rows.length = postureSessionsShownMax;
  }
  const shown: Record<string, unknown> = {};
  for (const { record } of rows) {
    const { wokenAt, unlockedAt } = record;
    const passedAt = mfaPassedAt({ ...subject, endpoint: record });
    // Without any code, no code answered the event.
    const isAnswered = (at: number | undefined) =>
      passedAt !== undefined && !isPrompted(at, passedAt);
    shown[record.id] = {
      mfa: {
        apiSessionId: record.id,
        passedMfa: passedAt !== undefined,
        passedAt: isoTimeOrZero(passedAt),
        passedOnWake: isAnswered(wokenAt),
        passedOnUnlock: isAnswered(unlockedAt),
      },
      endpointState: { wokenAt: isoTimeOrZero(wokenAt), unlockedAt: isoTimeOrZero(unlockedAt) },
      sdkInfo,
    };
  }
  return shown;
}

const viewBounds = {
  /** API sessions shown with the posture data of their identity, the newest. @bound */
  postureSessionsShownMax: 500,
};
