// The controllers of the network: only this one (behaviour/information#controllers).

import Type from 'typebox';
import { baseProperties } from '../../declare/answers.ts';
import {
  type Access,
  type ApiName,
  basePaths,
  type Context,
  type Operation,
  operation,
  type Reply,
} from '../../declare/operation.ts';
import { valueListReply } from '../../declare/value-list.ts';
import { isoTime } from '../../declare/view.ts';
import type { FilterSymbol, Scope } from '../../filter/contract.ts';
import { fingerprint } from '../../pki/x509/pem.ts';

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
    permission: 'admin_readonly',
    access,
    summary: 'List the controllers of the network',
    answer: Type.Array(controllerSchema),
    isList: true,
    errors: [400, 401, 429],
    decide: listOfOne,
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
  /** Wall-clock ms of the start. */
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
  isOnline: { form: 'scalar', type: 'boolean', read: () => true },
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

function listOfOne(context: Context): Reply {
  return valueListReply(context, {
    things: [ownController(context)],
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
  return `[${controllerText(context, ownController(context))}]`;
}

function ownController({ env, api }: Context): Controller {
  const { addresses, trust, serverCertificate, config } = env;
  return {
    // One network, one controller: the trust domain outlives certificates and host names.
    id: trust.trustDomain,
    name: config.advertise.host,
    certPem: serverCertificate.toString(),
    fingerprint: fingerprint(serverCertificate),
    ctrlAddress: api === 'client' ? '' : addresses.control,
    startedAt: addresses.startedAt,
  };
}

function controllerText({ env, api }: Context, controller: Controller): string {
  const { id, name, certPem, ctrlAddress, fingerprint: print } = controller;
  const { url } = env.addresses;
  const at = isoTime(controller.startedAt);
  const address = (of: ApiName) => [{ url: `${url}${basePaths[of]}`, version: 'v1' }];
  const isClient = api === 'client';
  return JSON.stringify({
    // No operation shows one controller.
    _links: {},
    apiAddresses: {
      'edge-client': address('client'),
      ...(isClient ? {} : { 'edge-management': address('management') }),
    },
    certPem,
    createdAt: at,
    ctrlAddress,
    fingerprint: print,
    id,
    isOnline: true,
    isPreferredLeader: false,
    lastJoinedAt: at,
    name,
    tags: {},
    updatedAt: at,
  });
}
