// Circuits in the fabric API (behaviour/fabric#circuits).

import Type from 'typebox';
import { emptyReply } from '../../declare/operations/operation.ts';
import { entityRefSchema } from '../../declare/resources/answers.ts';
import { rowOf } from '../../declare/resources/crud.ts';
import { type CircuitRecord, circuitKind } from '../../records/circuit.ts';
import { type Context, type DefinedResource, defineResource, operation } from '../context.ts';
import { referenceById, referenceOrDeleted } from './references.ts';

const pathSchema = Type.Union([
  Type.Object({ nodes: Type.Array(entityRefSchema), links: Type.Array(entityRefSchema) }),
  Type.Null(),
]);

/** Circuits that this controller has created, those included that their routers are told of. */
export const fabricCircuits: DefinedResource<typeof circuitKind.fields> = defineResource({
  kind: circuitKind,
  path: 'circuits',
  answered: 'leader',
  title: 'circuit',
  names: { one: 'Circuit', many: 'Circuits' },
  verbs: { fabric: ['list', 'get'] },
  permission: 'ops',
  amended: { identityId: { as: 'clientId' } },
  hidden: circuitKind.fieldNames.filter((name) => name !== 'identityId'),
  tagsOf: ({ identityId: clientId, hostId, serviceId }) => ({ clientId, hostId, serviceId }),
  joined: {
    service: {
      schema: entityRefSchema,
      text: ({ serviceId: id }, context) =>
        referenceOrDeleted(context, { kind: 'service', path: 'services', id }),
    },
    terminator: {
      schema: entityRefSchema,
      text: ({ terminatorId }) => referenceById('terminators', terminatorId),
    },
    path: { schema: pathSchema, text: pathText },
  },
  baseSymbols: ['id', 'createdAt', 'updatedAt'],
  symbols: ['clientId', 'service', 'terminator'],
  symbolSources: { clientId: 'identityId', service: 'serviceId', terminator: 'terminatorId' },
  operations: [
    operation({
      id: 'deleteCircuit',
      apis: ['fabric'],
      method: 'DELETE',
      path: '/circuits/{id}',
      answered: 'leader',
      permission: 'ops.delete',
      summary: 'End a circuit, at once or after the data that is under way',
      body: Type.Object({ immediate: Type.Optional(Type.Boolean()) }),
      bodyOptional: true,
      errors: [400, 401, 404, 409, 429],
      // The end of a circuit is a transaction of its own, after its routers were told.
      writes: false,
      decide(context) {
        const { env, caller, body } = context;
        const { id } = rowOf(context, fabricCircuits);
        const now = body.immediate ?? false;
        env.fabricOrders.endCircuit(id, { now, actor: caller.identity.id });
        return emptyReply;
      },
    }),
  ],
});

/** From the router of the client to that of the host; null if both are one. */
function pathText({ routers, links }: CircuitRecord, context: Context): string {
  if (links.length === 0) return 'null';
  const nodes = routers.map((id) =>
    referenceOrDeleted(context, { kind: 'router', path: 'routers', id }),
  );
  const over = links.map((id) => referenceById('links', id));
  return `{"nodes":[${nodes.join(',')}],"links":[${over.join(',')}]}`;
}
