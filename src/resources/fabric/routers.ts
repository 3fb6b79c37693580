// Routers in the fabric API: all of them, known by their certificates (behaviour/fabric#routers).

import Type from 'typebox';
import { joinedValue } from '../../declare/resources/joined.ts';
import type { Body } from '../../declare/resources/resource.ts';
import { fieldError } from '../../errors/errors.ts';
import { enrollmentKind } from '../../records/enrollment.ts';
import { type RouterRecord, routerKind } from '../../records/router.ts';
import { interfaceSchema, versionSchema } from '../../records/router-presence.ts';
import { checkAttachedConfigs } from '../configs/attached-configs.ts';
import { type Context, defineResource } from '../context.ts';
import { presenceOf } from '../routers/presence.ts';
import { routerRemoving, routerWritten } from '../routers/router-life.ts';
import { isConnected, ofPresence, outstandingEnrollments } from '../routers/router-views.ts';

/** The common name of the router's certificate. It stands in links as it is. */
const idSchema = Type.String({ pattern: '^[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}$' });

/** A SHA-1 digest in hexadecimal digits, with or without colons. */
const fingerprintSchema = Type.String({ maxLength: 100 });
const fingerprintPattern = /^[0-9A-Fa-f]{2}(:?[0-9A-Fa-f]{2}){19}$/;

const listenerSchema = Type.Object({ address: Type.String(), protocol: Type.String() });

/** Every router. Those that are created here bring their certificates with them. */
export const fabricRouters = defineResource({
  kind: routerKind,
  path: 'routers',
  answered: 'leader',
  title: 'router',
  names: { one: 'Router', many: 'Routers' },
  verbs: { fabric: ['list', 'get', 'create', 'update', 'patch', 'delete'] },
  permission: 'admin',
  takes: ['name', 'cost', 'noTraversal', 'disabled', 'configs', 'ctrlChanListeners'],
  amended: { cost: { required: true }, noTraversal: { required: true } },
  inputs: {
    create: { id: idSchema, fingerprint: Type.Optional(fingerprintSchema) },
    update: { fingerprint: fingerprintSchema },
    patch: { fingerprint: fingerprintSchema },
  },
  // Fields of edge routers alone, and certificates as such, are neither shown nor changed here.
  hidden: [
    'roleAttributes',
    'isTunnelerEnabled',
    'appData',
    'certPem',
    'unverifiedFingerprint',
    'unverifiedCertPem',
  ],
  links: { terminators: 'terminators' },
  joined: {
    connected: ofPresence(Type.Boolean(), 'isOnline'),
    interfaces: ofPresence(Type.Array(interfaceSchema), 'interfaces'),
    versionInfo: {
      schema: versionSchema,
      text({ id }, context) {
        const { isOnline, versionInfo } = presenceOf(context, id);
        return isOnline ? JSON.stringify(versionInfo) : undefined;
      },
    },
    listenerAddresses: joinedValue(Type.Array(listenerSchema), listenersOf),
  },
  symbols: [
    'name',
    'fingerprint',
    'cost',
    'noTraversal',
    'disabled',
    'connected',
    'configs',
    'ctrlChanListeners',
  ],
  symbolSources: {
    connected: isConnected,
    ctrlChanListeners: {
      type: 'string',
      readAll: ({ ctrlChanListeners }) => Object.keys(ctrlChanListeners),
    },
  },
  deleteConflicts: true,
  idOf({ env }, { id }) {
    const text = String(id);
    if (env.store.table(routerKind).find(text) === undefined) return text;
    throw fieldError('id', 'another router has this id', text);
  },
  check(context, draft, body, stored) {
    if (stored === undefined) draft.isEdge = false;
    checkAttachedConfigs(context, body, 'router');
    refuseTaken(context, draft.id, fingerprintOf(body));
  },
  written(context, record, body, stored) {
    trust(context, record, fingerprintOf(body));
    routerWritten(context, record, stored, undefined);
  },
  removing: routerRemoving,
  example: { id: 'north', name: 'north', cost: 10, noTraversal: false },
});

/** Where other routers reach it; nothing while it is away. */
function listenersOf({ id }: RouterRecord, { env }: Context) {
  const { linkListeners = [] } = env.connectedRouters.get(id) ?? {};
  return linkListeners.map(({ address, protocol }) => ({
    address: address ?? '',
    protocol: protocol ?? '',
  }));
}

/**
 * As records hold it: lower case without colons.
 * @throws ApiError COULD_NOT_VALIDATE for a text that is no fingerprint.
 */
function fingerprintOf({ fingerprint }: Body): string | undefined {
  if (typeof fingerprint !== 'string') return undefined;
  if (!fingerprintPattern.test(fingerprint)) {
    throw fieldError('fingerprint', 'must be a SHA-1 digest of 40 hexadecimal digits', fingerprint);
  }
  return fingerprint.replaceAll(':', '').toLowerCase();
}

/** @throws ApiError COULD_NOT_VALIDATE if another router has this certificate. */
function refuseTaken({ env }: Context, id: string, fingerprint: string | undefined): void {
  if (fingerprint === undefined) return;
  for (const row of env.store.table(routerKind).members('fingerprint', fingerprint)) {
    if (row.id === id) continue;
    throw fieldError('fingerprint', 'another router has this certificate', fingerprint);
  }
}

/** The router counts as verified by this certificate; nobody may enroll it any more. */
function trust(context: Context, { id, fingerprint: known }: RouterRecord, fingerprint?: string) {
  if (fingerprint === undefined || fingerprint === known) return;
  const { env, tx, now } = context;
  env.send(tx, routerKind.kind, id, { type: 'trust', now, fingerprint });
  for (const { id: enrollmentId } of outstandingEnrollments(context, id)) {
    env.registry.cascades.remove(tx, enrollmentKind.kind, enrollmentId);
  }
}
