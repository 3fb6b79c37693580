// The last dials to a service that failed (behaviour/fabric#failed-dials): our own addition to the
// published API.

import Type, { type Static } from 'typebox';
import { detail } from '../../declare/operations/operation.ts';
import { rowOf } from '../../declare/resources/crud.ts';
import { isoTime } from '../../declare/resources/view.ts';
import { identityKind } from '../../records/identity.ts';
import { routerKind } from '../../records/router.ts';
import { type Context, type Operation, operation } from '../context.ts';
import { services } from './service.ts';

const text = Type.String();
const named = (description: string) => Type.Object({ id: text, name: text }, { description });
const maybe = (description: string) => Type.Union([text, Type.Null()], { description });

const failedDialSchema = Type.Object(
  {
    when: Type.String({ format: 'date-time' }),
    identity: named('The identity that dialed'),
    router: named('The router through which it dialed'),
    instanceId: Type.String({ description: 'The wanted instance; empty for any' }),
    circuitId: maybe('Null when the dial was refused before a path was chosen'),
    terminatorId: maybe('The terminator that was chosen last; it may be gone'),
    cause: Type.String({ description: 'A word for programs' }),
    inWords: Type.String({ description: 'The cause in words' }),
  },
  { title: 'failedDial' },
);

/** Failed dials, the newest first. */
export const failedDialsSchema = Type.Array(failedDialSchema);

/** A failed dial as it is shown. */
export type ShownFailedDial = Static<typeof failedDialSchema>;

/** `/services/{id}/failures` */
export const serviceFailures: Operation = operation({
  id: 'listServiceFailures',
  path: '/services/{id}/failures',
  answered: 'leader',
  permission: 'ops',
  summary: 'List the last dials to a service that failed, the newest first',
  answer: failedDialsSchema,
  errors: [401, 404, 429],
  decide: (context) =>
    detail([JSON.stringify(failedDialsOf(context, rowOf(context, services).record.id))]),
});

/** The last failed dials of a service, the newest first. What is gone is named by its id. */
export function failedDialsOf({ env }: Context, serviceId: string): ShownFailedDial[] {
  const { store, failedDials } = env;
  const [routers, identities] = [store.table(routerKind), store.table(identityKind)];
  return failedDials
    .of(serviceId)
    .map(({ at, identityId, routerId, circuitId, terminatorId, text: inWords, ...rest }) => ({
      when: isoTime(at),
      identity: { id: identityId, name: identities.find(identityId)?.record.name ?? identityId },
      router: { id: routerId, name: routers.find(routerId)?.record.name ?? routerId },
      instanceId: rest.instanceId,
      circuitId: circuitId ?? null,
      terminatorId: terminatorId ?? null,
      cause: rest.cause,
      inWords,
    }))
    .reverse();
}
