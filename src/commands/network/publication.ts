// A publication: an address, and the configs, the service and the policies that make it reachable,
// as a file of `apply`.

import { CommandFailure } from './command-failure.ts';
import { roleOf } from './roles.ts';

/** What `publish` was told. Roles are as in files: `#staff`, `@clerk`. */
export interface Publication {
  readonly name: string;
  /** Undefined for a service that SDKs dial by its name. */
  readonly address: Address | undefined;
  readonly target: string | undefined;
  /** Who dials. */
  readonly to: readonly string[];
  /** Who hosts. */
  readonly hostOn: readonly string[];
  /** Edge routers; empty if the router policies stay as they are. */
  readonly via: readonly string[];
  /** Posture checks of the dial policy. */
  readonly checks: readonly string[];
  /** Role attributes of the service. */
  readonly roleAttributes: readonly string[];
}

/** `tcp://a.example,b.example:80,8000-8010` in its parts. */
export interface Address {
  readonly protocol: 'tcp' | 'udp';
  readonly hosts: readonly string[];
  readonly ports: readonly PortRange[];
}

interface PortRange {
  readonly low: number;
  readonly high: number;
}

/** Reads an address. @throws CommandFailure */
export function addressTyped(text: string): Address {
  const [, protocol = 'tcp', hosts, ports] = /^(?:(tcp|udp):\/\/)?(.+):([\d,-]+)$/.exec(text) ?? [];
  const names = hosts?.split(',').map((host) => host.replaceAll(/^\[|\]$/g, '')) ?? [];
  const isHost = (host: string) =>
    /^(\*\.)?[\p{L}\p{N}._-]+$|^[0-9a-fA-F:.]+(\/\d{1,3})?$/u.test(host);
  if (ports === undefined || names.length === 0 || !names.every(isHost)) {
    throw wrongAddress(text);
  }
  const ranges = ports.split(',').map((range) => rangeIn(range, text));
  return { protocol: protocol === 'udp' ? 'udp' : 'tcp', hosts: names, ports: ranges };
}

function rangeIn(range: string, text: string): PortRange {
  const [, first, last = first] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(range) ?? [];
  const [low, high] = [Number(first), Number(last)];
  if (low >= 1 && low <= high && high <= 65_535) return { low, high };
  throw wrongAddress(text);
}

function wrongAddress(text: string): CommandFailure {
  return CommandFailure.wrong(
    `${JSON.stringify(text)} must be [tcp://|udp://]HOST[,HOST]:PORT[-PORT][,PORT].`,
  );
}

/** The name of a publication that was given none: its first host. */
export function nameFor({ hosts }: Address): string {
  return (hosts[0] ?? '').replace(/^\*\./, '');
}

/** `tcp printer.hall:9100`. */
export function addressWords({ protocol, hosts, ports }: Address): string {
  const ranges = ports.map(({ low, high }) => (low === high ? `${low}` : `${low}-${high}`));
  return `${protocol} ${hosts.join(',')}:${ranges.join(',')}`;
}

/** The tag of everything that a publication creates. */
export const publicationTag = 'publication';

/** The roles of a flag. @throws CommandFailure for empty entries */
export function rolesTyped(flag: string, text: string): string[] {
  const entries = text.split(',').map((entry) => entry.trim());
  if (entries.every((entry) => entry !== '' && !/^[#@]$/.test(entry))) return entries.map(roleOf);
  throw CommandFailure.wrong(`${flag} has an empty role: ${JSON.stringify(text)}.`);
}

/**
 * The file for `apply`. The edge router policy is not in it, because it may serve others, too.
 * @throws CommandFailure for a target that does not go with the address
 */
export function publicationFile(publication: Publication): object {
  const { name, address, to, hostOn, via, checks, roleAttributes } = publication;
  const tags = { [publicationTag]: name };
  const service = [`@${name}`];
  const configs =
    address === undefined
      ? []
      : [
          {
            name: `${name} intercept`,
            configType: 'intercept.v1',
            data: interceptData(address),
            tags,
          },
          {
            name: `${name} host`,
            configType: 'host.v1',
            data: hostData(publication, address),
            tags,
          },
        ];
  const policy = { semantic: 'AnyOf', serviceRoles: service, tags };
  return {
    version: 1,
    configs,
    services: [
      {
        name,
        encryptionRequired: true,
        configs: configs.map((config) => config.name),
        ...(roleAttributes.length > 0 && { roleAttributes }),
        tags,
      },
    ],
    servicePolicies: [
      {
        name: `${name} dial`,
        type: 'Dial',
        identityRoles: to,
        postureCheckRoles: checks,
        ...policy,
      },
      { name: `${name} bind`, type: 'Bind', identityRoles: hostOn, ...policy },
    ],
    ...(via.length > 0 && {
      serviceEdgeRouterPolicies: [{ name: `${name} routers`, edgeRouterRoles: via, ...policy }],
    }),
  };
}

/** An edge router policy that gives identities the routers that they lack. */
export function routerPolicyOf(
  { name, via }: Publication,
  identityRoles: readonly string[],
): object {
  const tags = { [publicationTag]: name };
  return {
    name: `${name} identities`,
    semantic: 'AnyOf',
    identityRoles,
    edgeRouterRoles: via,
    tags,
  };
}

function interceptData({ protocol, hosts, ports }: Address): object {
  return { protocols: [protocol], addresses: hosts, portRanges: ports };
}

/** What is not fixed is forwarded, within the bounds of the address. */
function hostData({ target }: Publication, { protocol, hosts, ports }: Address): object {
  const [host = ''] = hosts;
  const [port] = ports;
  const isOneHost = hosts.length === 1 && !/^\*|\//.test(host);
  const isOnePort = ports.length === 1 && port !== undefined && port.low === port.high;
  const [, toHost, toPort] = /^(.*?)(?::(\d{1,5}))?$/.exec(target ?? '') ?? [];
  const targetHost = toHost?.replaceAll(/^\[|\]$/g, '') || undefined;
  if (target !== undefined && targetHost === undefined && toPort === undefined) {
    throw CommandFailure.wrong(`--target is ${JSON.stringify(target)} but must be HOST:PORT.`);
  }
  if (!isOneHost && targetHost !== undefined) {
    throw CommandFailure.wrong('--target may not name a host, because the address has several.');
  }
  if (!isOnePort && toPort !== undefined) {
    throw CommandFailure.wrong('--target may not name a port, because the address has several.');
  }
  return {
    protocol,
    ...(isOneHost
      ? { address: targetHost ?? host }
      : { forwardAddress: true, allowedAddresses: hosts }),
    ...(isOnePort
      ? { port: toPort === undefined ? port.low : Number(toPort) }
      : { forwardPort: true, allowedPortRanges: ports }),
  };
}
