// Terminators: the places where a service is hosted (behaviour/services#terminators).

import Type from 'typebox';
import { entityRefSchema } from '../../declare/resources/answers.ts';
import { joinedReference } from '../../declare/resources/joined.ts';
import type { Joined } from '../../declare/resources/resource.ts';
import type { SymbolSource } from '../../declare/symbols/symbol-sources.ts';
import { fieldError } from '../../errors/errors.ts';
import { terminatorCost } from '../../records/identity.ts';
import { routerKind } from '../../records/router.ts';
import { serviceKind } from '../../records/service.ts';
import { type TerminatorRecord, terminatorKind } from '../../records/terminator.ts';
import { setPrecedence } from '../../routers/terminators/creation.ts';
import { foreignSibling } from '../../routers/terminators/instances.ts';
import { defineResource } from '../context.ts';

const shownToAll: Readonly<Record<string, Joined<TerminatorRecord>>> = {
  service: joinedReference('service', 'service'),
  serviceId: { schema: Type.String(), text: ({ service }) => JSON.stringify(service) },
  routerId: { schema: Type.String(), text: ({ router }) => JSON.stringify(router) },
};

const common = {
  kind: terminatorKind,
  path: 'terminators',
  title: 'terminator',
  names: { one: 'Terminator', many: 'Terminators' },
} as const;

const commonSymbols = ['service', 'router', 'instanceId', 'service.name'];

const symbolSources: Readonly<Record<string, SymbolSource<TerminatorRecord>>> = {
  instanceId: 'identity',
  'service.name': nameOf('service'),
  'router.name': nameOf('router'),
};

/** Terminators in the management API. */
export const terminators = defineResource({
  ...common,
  verbs: { management: ['list', 'get', 'create', 'update', 'patch', 'delete'] },
  permission: 'terminator',
  joined: {
    ...shownToAll,
    // Every router is in `routers`, including those that carry clients' traffic.
    router: {
      schema: entityRefSchema,
      text({ router }, { env }) {
        const { record } = env.store.table(routerKind).find(router) ?? {};
        return record && env.registry.at('routers').view.reference(record);
      },
    },
    dynamicCost: {
      schema: terminatorCost,
      text: ({ id }, { env }) => String(env.terminatorCosts.dynamicCost(id)),
    },
  },
  check({ env, tx }, draft, _body, stored) {
    if (stored !== undefined) {
      draft.state = setPrecedence(env, tx, stored, draft.precedence);
      // Nothing that the rule below depends on changes later.
      return;
    }
    const { id, service = '', identity = '' } = draft;
    const table = env.store.table(terminatorKind);
    const wanted = { id, service, identity, hostId: undefined };
    if (foreignSibling(table, wanted) !== undefined) {
      throw fieldError('identity', 'is that of a terminator of another identity', identity);
    }
  },
  alsoFiltered: ['service', 'router', 'hostId'],
  symbolSources,
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
  ...common,
  verbs: {},
  joined: shownToAll,
  hidden: ['binding', 'address', 'cost', 'precedence'],
  symbols: commonSymbols,
  symbolSources,
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
