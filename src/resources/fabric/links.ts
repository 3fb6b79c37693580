// Links in the fabric API (behaviour/fabric#links).

import Type from 'typebox';
import { emptyReply } from '../../declare/operations/operation.ts';
import { rowOf } from '../../declare/resources/crud.ts';
import { joinedReference, joinedValue } from '../../declare/resources/joined.ts';
import { type LinkRecord, linkCost, linkKind } from '../../records/link.ts';
import { type DefinedResource, defineResource, operation } from '../context.ts';

/** The words of the API for the states of links. */
const stateNames: Readonly<Record<string, string>> = {
  pending: 'Pending',
  connected: 'Connected',
  refused: 'Failed',
  failed: 'Failed',
  duplicate: 'Duplicate',
};

const connectionSchema = Type.Object({
  type: Type.String(),
  source: Type.String(),
  dest: Type.String(),
});

/** Links between routers. */
export const fabricLinks: DefinedResource<typeof linkKind.fields> = defineResource({
  kind: linkKind,
  path: 'links',
  answered: 'leader',
  title: 'link',
  names: { one: 'Link', many: 'Links' },
  verbs: { fabric: ['list', 'get', 'delete'] },
  permission: 'ops',
  isBare: true,
  hidden: [
    'sourceRouter',
    'destRouter',
    'dialAddress',
    'connections',
    'failedAt',
    'sharedId',
    'isNamed',
    'refusal',
  ],
  joined: {
    sourceRouter: joinedReference('router', 'sourceRouter'),
    destRouter: joinedReference('router', 'destRouter'),
    state: joinedValue(Type.String(), stateOf),
    cost: { schema: Type.Integer(), text: (record) => String(linkCost(record)) },
    connections: joinedValue(Type.Array(connectionSchema), connectionsOf),
  },
  baseSymbols: ['id'],
  symbols: [
    'protocol',
    'dialAddress',
    'sourceRouter',
    'destRouter',
    'cost',
    'staticCost',
    'sourceLatency',
    'destLatency',
    'state',
    'iteration',
  ],
  symbolSources: {
    cost: { type: 'integer', read: linkCost, isOwn: true },
    state: { type: 'string', read: stateOf, isOwn: true },
  },
  operations: [
    operation({
      id: 'patchLink',
      apis: ['fabric'],
      method: 'PATCH',
      path: '/links/{id}',
      permission: 'ops.update',
      summary: 'Change the static cost of a link, or take it out of all paths',
      body: Type.Object({
        staticCost: Type.Optional(Type.Integer({ minimum: 0, maximum: 65_535 })),
        down: Type.Optional(Type.Boolean()),
      }),
      errors: [400, 401, 404, 429],
      decide(context) {
        const { env, tx, now, body } = context;
        const { id } = rowOf(context, fabricLinks);
        const { staticCost, down } = body;
        env.send(tx, linkKind.kind, id, { type: 'adjust', now, staticCost, down });
        return emptyReply;
      },
    }),
  ],
});

function stateOf({ state }: LinkRecord): string {
  return stateNames[state] ?? state;
}

function connectionsOf({ connections = [] }: LinkRecord) {
  return connections.map(({ type, localAddress, remoteAddress }) => ({
    type,
    source: localAddress,
    dest: remoteAddress,
  }));
}
