// A publication: an address, and the configs, the service and the policies that make it reachable,
// as a file of `apply`.

import { isIP } from 'node:net';
import type { MadeContent, MadeEntry } from '../../declarative/file-entries.ts';
import { CommandFailure } from '../command-failure.ts';
import { roleOf } from '../kinds/roles.ts';

/** What `publish` was told. Roles are as in files: `#staff`, `@clerk`. */
export interface Publication {
  readonly name: string;
  /** Undefined for a service that SDKs dial by its name. */
  readonly address: Address | undefined;
  /** Where hosts connect to, as far as it is not where clients connect to. */
  readonly target: Target;
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

/** The fixed part of where hosts connect to. */
export interface Target {
  readonly host?: string;
  readonly port?: number;
}

/** Reads an address. @throws CommandFailure */
export function addressTyped(text: string): Address {
  const [, protocol = 'tcp', hosts, ports] = /^(?:(tcp|udp):\/\/)?(.+):([\d,-]+)$/.exec(text) ?? [];
  const names = hosts?.split(',').map((host) => host.replaceAll(/^\[|\]$/g, '')) ?? [];
  if (ports === undefined || names.length === 0 || !names.every(isHostOrRange)) {
    throw wrongAddress(text);
  }
  const ranges = ports.split(',').map((range) => rangeIn(range, text));
  return { protocol: protocol === 'udp' ? 'udp' : 'tcp', hosts: names, ports: ranges };
}

/** A name, `*.name`, an address or a CIDR. */
function isHostOrRange(host: string): boolean {
  const [network = '', bits, ...rest] = host.split('/');
  if (bits === undefined) return isHost(host) || (host.startsWith('*.') && isName(host.slice(2)));
  const bitsMax = isIP(network) === 4 ? 32 : 128;
  return (
    isIP(network) > 0 && rest.length === 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= bitsMax
  );
}

function isHost(host: string): boolean {
  return isName(host) || isIP(host) === 6;
}

function isName(host: string): boolean {
  return /^[\p{L}\p{N}._-]+$/u.test(host);
}

/** Whether an address has one host, and whether it has one port: what clients cannot choose. */
function fixedIn({ hosts, ports }: Address): { isHostFixed: boolean; isPortFixed: boolean } {
  const [host = ''] = hosts;
  const [port] = ports;
  return {
    isHostFixed: hosts.length === 1 && isHost(host),
    isPortFixed: ports.length === 1 && port?.low === port?.high,
  };
}

/**
 * Reads `--target`: `HOST:PORT`, `HOST` or `:PORT`.
 * @throws CommandFailure for a target that does not go with the address
 */
export function targetTyped(text: string, address: Address): Target {
  const [, bracketed, plain = '', digits] =
    /^(?:\[([^\]]*)\]|([^:[\]]*))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  const port = digits === undefined ? undefined : Number(digits);
  const isGiven = host !== '' || port !== undefined;
  const isRight = bracketed === undefined ? host === '' || isName(host) : isIP(host) === 6;
  if (!isGiven || !isRight || port === 0 || (port ?? 0) > 65_535) {
    throw CommandFailure.wrong(`--target is ${JSON.stringify(text)} but must be HOST:PORT.`);
  }
  const { isHostFixed, isPortFixed } = fixedIn(address);
  if (!isHostFixed && host !== '') {
    throw CommandFailure.wrong('--target may not name a host, because the address has several.');
  }
  if (!isPortFixed && port !== undefined) {
    throw CommandFailure.wrong('--target may not name a port, because the address has several.');
  }
  return { ...(host !== '' && { host }), ...(port !== undefined && { port }) };
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

/** Where hosts connect to: the target, and what clients choose where that is not fixed. */
export function targetAddress({ host, port }: Target, address: Address): Address {
  const { protocol, hosts, ports } = address;
  return {
    protocol,
    hosts: host === undefined ? hosts : [host],
    ports: port === undefined ? ports : [{ low: port, high: port }],
  };
}

/** The tag of everything that a publication creates. */
export const publicationTag = 'publication';

/** The roles of a flag. @throws CommandFailure for empty entries, and for `all` beside others */
export function rolesTyped(flag: string, text: string): string[] {
  const roles = text.split(',').map((entry) => roleOf(entry.trim()));
  if (roles.some((role) => /^[#@]$/.test(role))) {
    throw CommandFailure.wrong(`${flag} has an empty role: ${JSON.stringify(text)}.`);
  }
  if (roles.length > 1 && roles.includes('#all')) {
    throw CommandFailure.wrong(`${flag} is ${JSON.stringify(text)}, but all stands alone.`);
  }
  return roles;
}

/** The file for `apply`. The edge router policy is not in it, because it may serve others, too. */
export function publicationContent(publication: Publication): MadeContent {
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

/** The name of the edge router policy of a publication. */
export function routerPolicyName({ name }: Pick<Publication, 'name'>): string {
  return `${name} identities`;
}

/** An edge router policy that gives identities the routers that they lack. */
export function routerPolicyOf(
  publication: Publication,
  identityRoles: readonly string[],
): MadeEntry {
  const { name, via } = publication;
  const tags = { [publicationTag]: name };
  return {
    name: routerPolicyName(publication),
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
function hostData({ target }: Publication, address: Address): object {
  const { protocol, hosts, ports } = targetAddress(target, address);
  const { isHostFixed, isPortFixed } = fixedIn(address);
  return {
    protocol,
    ...(isHostFixed ? { address: hosts[0] } : { forwardAddress: true, allowedAddresses: hosts }),
    ...(isPortFixed ? { port: ports[0]?.low } : { forwardPort: true, allowedPortRanges: ports }),
  };
}
