// The controllers of the network: this one, or the nodes of its cluster
// (behaviour/information#controllers).

import Type from 'typebox';
import type { Member } from '../../cluster/membership.ts';
import { type ApiName, basePaths, oidcPath } from '../../declare/operations/apis.ts';
import type { Access, Reply } from '../../declare/operations/operation.ts';
import { baseProperties } from '../../declare/resources/answers.ts';
import { valueListReply } from '../../declare/resources/value-list.ts';
import { isoTime } from '../../declare/resources/view.ts';
import type { FilterSymbol, Scope } from '../../filter/scope.ts';
import { fingerprint } from '../../pki/x509/pem.ts';
import { type Context, type Operation, operation } from '../context.ts';
import { announcesOidc } from './information.ts';

/** One controller. */
export const controllerSchema = Type.Object(
  {
    ...baseProperties,
    apiAddresses: Type.Record(
      Type.String(),
      Type.Array(Type.Object({ url: Type.String(), version: Type.String() })),
    ),
    certPem: Type.String(),
    ctrlAddress: Type.String(),
    fingerprint: Type.String(),
    isOnline: Type.Boolean(),
    isPreferredLeader: Type.Boolean(),
    lastJoinedAt: Type.String({ format: 'date-time' }),
    name: Type.String(),
  },
  { title: 'controllerDetail' },
);

/** One list per API: clients learn nothing about the control plane. */
export const controllers: readonly Operation[] = [
  controllerList('client', 'full'),
  controllerList('management', 'admin'),
];

function controllerList(api: ApiName, access: Access): Operation {
  return operation({
    id: 'listControllers',
    apis: [api],
    path: '/controllers',
    answered: 'leader',
    permission: 'admin_readonly',
    access,
    summary: 'List the controllers of the network',
    answer: Type.Array(controllerSchema),
    isList: true,
    errors: [400, 401, 429],
    decide: listOfAll,
  });
}

/** The facts about a controller. */
interface Controller {
  readonly id: string;
  readonly name: string;
  readonly certPem: string;
  readonly fingerprint: string;
  /** `tls:host:port` of the control channel, empty for clients. */
  readonly ctrlAddress: string;
  /** `host:port` of its APIs. */
  readonly authority: string;
  readonly isOnline: boolean;
  /** Wall-clock ms of the start; of another node, when it was heard of last. */
  readonly startedAt: number;
}

const startedAt: ControllerSymbol = {
  form: 'scalar',
  type: 'datetime',
  read: (controller) => controller.startedAt,
};

type ControllerSymbol = FilterSymbol<Controller, undefined>;

const text = (
  key: 'id' | 'name' | 'ctrlAddress' | 'certPem' | 'fingerprint',
): ControllerSymbol => ({
  form: 'scalar',
  type: 'string',
  read: (controller) => controller[key],
});

/** Public symbols of controllers (behaviour/filters#symbols). */
const symbols: Readonly<Record<string, ControllerSymbol>> = {
  id: text('id'),
  createdAt: startedAt,
  updatedAt: startedAt,
  tags: { form: 'map', read: () => undefined },
  isSystem: { form: 'scalar', type: 'boolean', read: () => false },
  name: text('name'),
  ctrlAddress: text('ctrlAddress'),
  certPem: text('certPem'),
  fingerprint: text('fingerprint'),
  isOnline: { form: 'scalar', type: 'boolean', read: (controller) => controller.isOnline },
  lastJoinedAt: startedAt,
};

const scope: Scope<Controller, undefined> = {
  symbol: (name) => {
    if (Object.hasOwn(symbols, name)) return symbols[name];
    return name.startsWith('tags.') ? symbols['tags'] : undefined;
  },
  linked: () => undefined,
};

const filterableFields = Object.keys(symbols);

function listOfAll(context: Context): Reply {
  return valueListReply(context, {
    things: allControllers(context),
    scope,
    filterableFields,
    text: (controller) => controllerText(context, controller),
  });
}

/**
 * The controllers of the network as JSON text of an array, for clients that enroll
 * (behaviour/enrollment#answer): in the view of the API of the request.
 */
export function controllersText(context: Context): string {
  const texts = allControllers(context).map((controller) => controllerText(context, controller));
  return `[${texts.join(',')}]`;
}

/**
 * In a cluster each node has its own id, and the one that answers knows itself best. Addresses for
 * which no node vouches are told to nobody (behaviour/cluster#members-and-marks).
 */
function allControllers(context: Context): Controller[] {
  const own = ownController(context);
  const cluster = context.env.cluster();
  if (cluster === undefined) return [own];
  const others = cluster.members.filter(
    ({ id, isUnsealed }) => id !== cluster.id && isUnsealed !== true,
  );
  const all = others.map((member) => ({
    ...otherController(context, member),
    isOnline: !cluster.isAway(member),
  }));
  return [{ ...own, id: cluster.id }, ...all].sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** What a node does not tell the others stays empty. */
function otherController(
  { api }: Context,
  { id, name, advertised, control = '', atMs }: Member,
): Omit<Controller, 'isOnline'> {
  return {
    id,
    name: name ?? advertised.replace(/:\d+$/, ''),
    certPem: '',
    fingerprint: '',
    ctrlAddress: api === 'client' ? '' : control,
    authority: advertised,
    startedAt: atMs,
  };
}

function ownController({ env, api }: Context): Controller {
  const { addresses, trust, serverCertificate, config } = env;
  return {
    id: trust.controllerId,
    name: config.cluster?.name ?? config.advertise.host,
    certPem: serverCertificate.toString(),
    fingerprint: fingerprint(serverCertificate),
    ctrlAddress: api === 'client' ? '' : addresses.control,
    authority: addresses.authority,
    isOnline: true,
    startedAt: addresses.startedAt,
  };
}

function controllerText(context: Context, controller: Controller): string {
  const { api } = context;
  const { id, name, certPem, ctrlAddress, fingerprint: print, isOnline } = controller;
  const url = `https://${controller.authority}`;
  const at = isoTime(controller.startedAt);
  const entryAt = (path: string) => [{ url: url + path, version: 'v1' }];
  const address = (of: ApiName) => entryAt(basePaths[of]);
  const isClient = api === 'client';
  return JSON.stringify({
    // No operation shows one controller.
    _links: {},
    apiAddresses: {
      'edge-client': address('client'),
      ...(isClient ? {} : { 'edge-management': address('management'), fabric: address('fabric') }),
      ...(announcesOidc(context) ? { 'edge-oidc': entryAt(oidcPath) } : {}),
    },
    certPem,
    createdAt: at,
    ctrlAddress,
    fingerprint: print,
    id,
    isOnline,
    isPreferredLeader: false,
    lastJoinedAt: at,
    name,
    tags: {},
    updatedAt: at,
  });
}
