// Addresses of services as people type them, and which of them reaches a config.

import { BlockList, isIP } from 'node:net';
import { isObject } from '../declarative/entry.ts';

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
  if (!isObject(data)) return false;
  const { protocols, addresses, portRanges } = data;
  const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
  const isPort = list(portRanges).some(
    (range) => isObject(range) && Number(range['low']) <= port && port <= Number(range['high']),
  );
  const isProtocol = protocol === undefined || list(protocols).includes(protocol);
  return isPort && isProtocol && list(addresses).some((one) => isAt(String(one), host));
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
