// Terminators: the places where a service is hosted (behaviour/services#terminators).

import Type from 'typebox';
import { entityRefSchema } from '../../declare/resources/answers.ts';
import { joinedReference } from '../../declare/resources/joined.ts';
import type { Draft, Joined } from '../../declare/resources/resource.ts';
import type { SymbolSource } from '../../declare/symbols/symbol-sources.ts';
import { fieldError } from '../../errors/errors.ts';
import { terminatorCost } from '../../records/identity.ts';
import { routerKind } from '../../records/router.ts';
import { serviceKind } from '../../records/service.ts';
import { type TerminatorRecord, terminatorKind } from '../../records/terminator.ts';
import { setPrecedence } from '../../routers/terminators/creation.ts';
import { foreignSibling } from '../../routers/terminators/instances.ts';
import { type Context, defineResource, type ResourceEnvironment } from '../context.ts';

const shownToAll: Readonly<Record<string, Joined<TerminatorRecord>>> = {
  service: joinedReference('service', 'service'),
  serviceId: { schema: Type.String(), text: ({ service }) => JSON.stringify(service) },
  routerId: { schema: Type.String(), text: ({ router }) => JSON.stringify(router) },
};

/** The options that all resources of terminators share. */
export const commonOfTerminators = {
  kind: terminatorKind,
  path: 'terminators',
  answered: 'leader',
  title: 'terminator',
  names: { one: 'Terminator', many: 'Terminators' },
} as const;

const commonSymbols = ['service', 'router', 'instanceId', 'service.name'];

/** The sources of their symbols. */
export const terminatorSymbols: Readonly<Record<string, SymbolSource<TerminatorRecord>>> = {
  instanceId: 'identity',
  'service.name': nameOf('service'),
  'router.name': nameOf('router'),
};

/** The joined fields of the administrators' views. */
export const terminatorFields: Readonly<
  Record<string, Joined<TerminatorRecord, ResourceEnvironment>>
> = {
  ...shownToAll,
  // Every router is in `routers`, including those that carry clients' traffic.
  router: {
    schema: entityRefSchema,
    text({ router }, { api, env }) {
      const row = env.store.table(routerKind).find(router);
      if (api === 'fabric') return env.registry.reference('router', router, api);
      return row && env.registry.at('routers').view.reference(row.record);
    },
  },
  dynamicCost: {
    schema: terminatorCost,
    text: ({ id }, { env }) => String(env.terminatorCosts.dynamicCost(id)),
  },
};

/**
 * Checks a terminator that an operator writes, and moves the machine of a stored one.
 * @throws ApiError COULD_NOT_VALIDATE for an instance id that another identity's terminator has.
 */
export function checkTerminator(
  { env, tx }: Context,
  draft: Draft<TerminatorRecord>,
  stored: TerminatorRecord | undefined,
  instanceId = 'identity',
): void {
  if (stored !== undefined) draft.state = setPrecedence(env, tx, stored, draft.precedence);
  const { id, service = '', identity = '', hostId } = draft;
  // The rule below depends on nothing else that can change.
  if (stored !== undefined && stored.hostId === hostId) return;
  const table = env.store.table(terminatorKind);
  if (foreignSibling(table, { id, service, identity, hostId }) !== undefined) {
    throw fieldError(instanceId, 'is that of a terminator of another identity', identity);
  }
}

/** Terminators in the management API. */
export const terminators = defineResource({
  ...commonOfTerminators,
  verbs: { management: ['list', 'get', 'create', 'update', 'patch', 'delete'] },
  permission: 'terminator',
  joined: terminatorFields,
  check: (context, draft, _body, stored) => checkTerminator(context, draft, stored),
  alsoFiltered: ['service', 'router', 'hostId'],
  symbolSources: terminatorSymbols,
  deleteConflicts: true,
  example: {
    service: 'id-of-a-service',
    router: 'id-of-a-router',
    binding: 'transport',
    address: 'tcp:printer.hall:9100',
  },
});

/** Terminators as clients see them, in lists of one service: without the hosting side. */
export const clientTerminators = defineResource({
  ...commonOfTerminators,
  verbs: {},
  joined: shownToAll,
  hidden: ['binding', 'address', 'cost', 'precedence'],
  symbols: commonSymbols,
  symbolSources: terminatorSymbols,
});

function nameOf(kind: 'service' | 'router'): SymbolSource<TerminatorRecord> {
  return {
    type: 'string',
    read(record, { store }) {
      const named =
        kind === 'service'
          ? store.table(serviceKind).find(record.service)
          : store.table(routerKind).find(record.router);
      return named?.record.name;
    },
  };
}
