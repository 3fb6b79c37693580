// Addresses of services as people type them, and which of them reaches a config.

import { BlockList, isIP } from 'node:net';
import { isObject } from '../../declarative/entry.ts';
import type { Address } from './publication.ts';

/** `tcp://printer.hall:9100` in its parts. */
export interface Destination {
  /** Undefined for any protocol. */
  readonly protocol: 'tcp' | 'udp' | undefined;
  /** A name or an IP address, in lower case. */
  readonly host: string;
  readonly port: number;
}

/** One host and one port; undefined for a text that is no such address. */
export function destinationIn(text: string): Destination | undefined {
  const [, protocol, bracketed, plain, digits] =
    /^(?:(tcp|udp):\/\/)?(?:\[([0-9a-fA-F:.]+)\]|([^\s:/@#]+)):(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  const host = (bracketed ?? plain)?.toLowerCase();
  if (host === undefined || port < 1 || port > 65_535) return undefined;
  const isKnown = protocol === 'tcp' || protocol === 'udp';
  return { protocol: isKnown ? protocol : undefined, host, port };
}

/** Whether clients with a config of the type `intercept.v1` take this destination. */
export function intercepts(data: unknown, { protocol, host, port }: Destination): boolean {
  return isTaken(data, protocol, [{ low: port, high: port }], (address) => isAt(address, host));
}

/** Whether clients with a config of the type `intercept.v1` take some part of an address. */
export function overlaps(data: unknown, { protocol, hosts, ports }: Address): boolean {
  const isShared = (address: string) =>
    hosts.some((host) => isAt(address, firstOf(host)) || isAt(host, firstOf(address)));
  return isTaken(data, protocol, ports, isShared);
}

function isTaken(
  data: unknown,
  protocol: string | undefined,
  ports: Address['ports'],
  isHost: (address: string) => boolean,
): boolean {
  if (!isObject(data)) return false;
  const { protocols, addresses, portRanges } = data;
  const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
  const isPort = list(portRanges).some(
    (range) =>
      isObject(range) &&
      ports.some(({ low, high }) => Number(range['low']) <= high && low <= Number(range['high'])),
  );
  const isProtocol = protocol === undefined || list(protocols).includes(protocol);
  return isPort && isProtocol && list(addresses).some((one) => isHost(String(one)));
}

/** The first address of a CIDR, and anything else as it is: ranges overlap where one holds it. */
function firstOf(address: string): string {
  return address.toLowerCase().replace(/\/.*$/, '');
}

function isAt(address: string, host: string): boolean {
  const wanted = address.toLowerCase();
  if (wanted === host) return true;
  if (wanted.startsWith('*.')) return host.endsWith(wanted.slice(1));
  const [network = '', bits] = wanted.split('/');
  const family = isIP(host);
  if (family === 0 || isIP(network) !== family) return false;
  const list = new BlockList();
  const kind = family === 4 ? 'ipv4' : 'ipv6';
  try {
    list.addSubnet(network, bits === undefined ? (family === 4 ? 32 : 128) : Number(bits), kind);
  } catch {
    return false;
  }
  return list.check(host, kind);
}
