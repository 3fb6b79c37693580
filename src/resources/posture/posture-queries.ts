// The `postureQueries` of a service: the checks of each policy that links it to its viewer, and
// whether the viewer's endpoint passes (behaviour/posture#queries).

import Type from 'typebox';
import { linksSchema } from '../../declare/resources/answers.ts';
import type { Posture } from '../../posture/posture.ts';
import { queryText } from '../../posture/queries.ts';
import type { Subject } from '../../posture/subject.ts';
import { identityKind } from '../../records/identity.ts';
import { serviceKind } from '../../records/service.ts';
import { servicePolicyKind } from '../../records/service-policy.ts';
import type { Context } from '../context.ts';
import { permissionsOf } from '../services/service-permissions.ts';

const moment = Type.String({ format: 'date-time' });
const process = Type.Object(
  { osType: Type.String(), path: Type.String() },
  { title: 'postureQueryProcess' },
);

const querySchema = Type.Object(
  {
    _links: linksSchema,
    createdAt: moment,
    id: Type.String(),
    isPassing: Type.Boolean(),
    process: Type.Optional(process),
    processes: Type.Optional(Type.Array(process)),
    promptGracePeriodSeconds: Type.Optional(Type.Integer()),
    promptOnUnlock: Type.Optional(Type.Boolean()),
    promptOnWake: Type.Optional(Type.Boolean()),
    queryType: Type.Enum(['OS', 'PROCESS', 'DOMAIN', 'MAC', 'MFA', 'PROCESS_MULTI']),
    tags: Type.Record(Type.String(), Type.Unknown()),
    timeout: Type.Integer(),
    timeoutAt: Type.Optional(moment),
    timeoutRemaining: Type.Integer(),
    updatedAt: moment,
  },
  { title: 'postureQuery' },
);

/** One set per policy. */
export const postureQueriesSchema = Type.Array(
  Type.Object(
    {
      isPassing: Type.Boolean(),
      policyId: Type.String(),
      policyType: Type.Enum(['Dial', 'Bind']),
      postureQueries: Type.Array(querySchema),
    },
    { title: 'postureQueries' },
  ),
);

/**
 * The value while the system has no posture check, by the bits of `permissionsOf`: one set per
 * permission without queries and without a policy's id (behaviour/posture#queries).
 */
export const unaskedTexts = ([[], ['Dial'], ['Bind'], ['Bind', 'Dial']] as const).map((types) => {
  const sets = types.map((policyType) => emptySet('no-posture-checks', policyType));
  return `[${sets.join(',')}]`;
});

function emptySet(policyId: string, policyType: string): string {
  return (
    `{"isPassing":true,"policyId":"${policyId}","policyType":"${policyType}",` +
    '"postureQueries":[]}'
  );
}

/** The field as JSON text, for one service. */
export function postureQueriesText(context: Context, service: { readonly id: string }): string {
  const { store, posture } = context.env;
  if (!posture.isUsed) return unaskedTexts[permissionsOf(context, service)] ?? '[]';
  const identity = store.table(identityKind).peek(context.viewer.id);
  const row = store.table(serviceKind).find(service.id);
  if (identity === undefined || row === undefined) return '[]';
  store.fence.note(identity.lsn);
  return queriesFor(context).of(linkingPolicies(context, identity.slot, row.slot));
}

/** Slots of the policies by which an identity may dial or bind a service. */
export function linkingPolicies(
  { env }: Pick<Context, 'env'>,
  identity: number,
  service: number,
): readonly number[] {
  const { store, access } = env;
  store.fence.note(store.table(servicePolicyKind).lastLsn);
  const dial = access.permissions.linking(identity, service, 'Dial');
  const bind = access.permissions.linking(identity, service, 'Bind');
  return bind.length === 0 ? dial : [...dial, ...bind];
}

const byContext = new WeakMap<Context, PostureQueries>();

/** The queries of the viewer of an answer, which must be known. */
export function queriesFor(context: Context): PostureQueries {
  let queries = byContext.get(context);
  if (queries === undefined) {
    queries = new PostureQueries(context);
    byContext.set(context, queries);
  }
  return queries;
}

/** The queries of one viewer at one time; the set of a policy is computed once. */
class PostureQueries {
  readonly #context: Context;
  readonly #posture: Posture;
  readonly #subject: Subject;
  /** By policy slot. */
  readonly #sets = new Map<number, string>();

  constructor(context: Context) {
    const { caller, viewer, env } = context;
    // An identity that another caller views is not evaluated at any of its endpoints.
    const isSelf = viewer.id === caller.identity.id;
    const apiSessionId = isSelf ? caller.session.record.id : undefined;
    this.#context = context;
    this.#posture = env.posture;
    this.#subject = env.posture.subjectOf({ identityId: viewer.id, apiSessionId });
  }

  /** The sets of these policies as JSON text. */
  of(policies: readonly number[]): string {
    let text = '';
    for (const policy of policies) {
      const set = this.#setOf(policy);
      text += text === '' ? set : `,${set}`;
    }
    return `[${text}]`;
  }

  #setOf(policy: number): string {
    let set = this.#sets.get(policy);
    if (set === undefined) this.#sets.set(policy, (set = this.#make(policy)));
    return set;
  }

  #make(policy: number): string {
    const { env, now } = this.#context;
    const record = env.store.table(servicePolicyKind).at(policy)?.record;
    if (record === undefined) return '';
    const checks = this.#posture.checksOf(policy);
    if (checks.length === 0) return emptySet(record.id, record.type);
    const isPassing = this.#posture.passes(policy, this.#subject, now);
    const queries = checks.map((check) => queryText(check, this.#subject, now));
    return (
      `{"isPassing":${isPassing},"policyId":"${record.id}","policyType":"${record.type}",` +
      `"postureQueries":[${queries.join(',')}]}`
    );
  }
}
