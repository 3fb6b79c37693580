// The presence of routers: one record per router that has connected since the start, under the
// router's own id (behaviour/control-channel#presence).

import Type from 'typebox';
import { routerPresence } from '../../machines/router-presence.ts';
import { field, reference, time } from '../declare/kinds/field.ts';
import { defineKind, type RecordOf } from '../declare/kinds/kind.ts';

const text = () => field(Type.String(), { fallback: '', write: 'never' });
const flag = () => field(Type.Boolean(), { fallback: false, write: 'never' });

/** A network card of a router. */
export const interfaceSchema = Type.Object({
  addresses: Type.Array(Type.String()),
  hardwareAddress: Type.String(),
  index: Type.Integer({ minimum: 0 }),
  isBroadcast: Type.Boolean(),
  isLoopback: Type.Boolean(),
  isMulticast: Type.Boolean(),
  isRunning: Type.Boolean(),
  isUp: Type.Boolean(),
  mtu: Type.Integer({ minimum: 0 }),
  name: Type.String(),
});

/** The version of a router as its hello names it. */
export const versionSchema = Type.Object({
  arch: Type.String(),
  buildDate: Type.String(),
  os: Type.String(),
  revision: Type.String(),
  version: Type.String(),
});

/** The presence of routers. */
export const routerPresenceKind = defineKind({
  kind: 'routerPresence',
  version: 1,
  volatile: true,
  fields: {
    state: field(Type.String(), { fallback: 'offline', write: 'never', show: 'never' }),
    routerId: reference('router', { inverse: 'presences', onDelete: 'cascade' }),
    address: text(),
    connectedAt: time({ write: 'never' }),
    versionInfo: field(versionSchema, {
      fallback: { arch: '', buildDate: '', os: '', revision: '', version: '' },
      write: 'never',
    }),
    capabilities: field(Type.Array(Type.Integer()), { fallback: [], write: 'never' }),
    serverHellos: field(Type.Integer(), { fallback: 0, write: 'never' }),
    hasGreeted: flag(),
    hostname: text(),
    supportedProtocols: field(Type.Record(Type.String(), Type.String()), {
      fallback: {},
      write: 'never',
    }),
    interfaces: field(Type.Array(interfaceSchema), { fallback: [], write: 'never' }),
    isQuiesced: flag(),
    closeReason: text(),
  },
  many: [],
  calledBy: ['routerId'],
  machine: { declaration: routerPresence, creates: 'connect', removes: 'remove' },
});

/** The presence of one router. */
export type RouterPresenceRecord = RecordOf<typeof routerPresenceKind.fields>;
