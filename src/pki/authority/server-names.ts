// The names in the server certificate: which ones it needs, and which ones a new one has.

import type { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { PkiProblem } from '../problem.ts';
import { Certificate } from '../x509/certificate.ts';
import { DerProblem } from '../x509/der.ts';
import type { AlternativeName } from './issue.ts';
import type { PkiContext } from './settings.ts';

/** The hosts that clients and routers are given. */
type Hosts = Pick<PkiContext, 'host' | 'controlHost'>;

/**
 * Characters of the names that a new certificate takes from the one before it: some hundred of
 * them. Clients take certificates of 100 KiB, and each handshake carries one. @bound
 */
const formerNamesCharactersMax = 8 * 1024;

/**
 * The names of a new server certificate: the advertised hosts, `localhost` and the loopback
 * addresses for users on the machine itself, then those of the certificate before. That one may
 * come from another controller, and clients or routers may know this one by any of its names.
 * @throws PkiProblem for an advertised host that is neither a name nor an IP address
 */
export function serverNames(hosts: Hosts, former: X509Certificate | undefined): AlternativeName[] {
  const names = new Map<string, AlternativeName>();
  for (const host of [...hostsOf(hosts), 'localhost', '127.0.0.1', '::1']) {
    const name = hostName(host);
    names.set(keyOf(name), name);
  }
  let left = formerNamesCharactersMax;
  for (const name of former === undefined ? [] : namesIn(former)) {
    const { type, value } = name;
    if (type === 'email' || names.has(keyOf(name)) || value.length > left) continue;
    names.set(keyOf(name), name);
    left -= value.length;
  }
  return [...names.values()];
}

/**
 * The advertised hosts that the certificate does not name.
 * @throws PkiProblem for a host that is neither a name nor an IP address
 */
export function uncovered(certificate: X509Certificate, hosts: Hosts): string[] {
  return hostsOf(hosts).filter((host) => !covers(certificate, host));
}

function hostsOf({ host, controlHost = host }: Hosts): readonly string[] {
  return controlHost === host ? [host] : [host, controlHost];
}

function covers(certificate: X509Certificate, host: string): boolean {
  const name = hostName(host);
  const found = isIP(name.value)
    ? certificate.checkIP(name.value)
    : certificate.checkHost(name.value);
  return found !== undefined;
}

/** @throws PkiProblem when the host is neither a name nor an IP address. */
function hostName(host: string): AlternativeName {
  const bare = host.replace(/^\[(.*)\]$/, '$1');
  if (isIP(bare) !== 0) return { type: 'ip', value: bare };
  const name = domainToASCII(bare);
  if (name === '')
    throw new PkiProblem(`The advertised host "${host}" is no name a certificate can hold.`);
  return { type: 'dns', value: name };
}

/** Equal for names that mean the same: one address is written in several ways. */
function keyOf({ type, value }: AlternativeName): string {
  if (type === 'url') return `url ${value}`;
  const text = type === 'ip' && isIP(value) === 6 ? new URL(`http://[${value}]`).hostname : value;
  return `${type} ${text.toLowerCase()}`;
}

/** None where they cannot be read: such a certificate is of no use to clients either. */
function namesIn({ raw }: X509Certificate): readonly AlternativeName[] {
  try {
    return new Certificate(raw).alternativeNames;
  } catch (error) {
    if (error instanceof DerProblem) return [];
    throw error;
  }
}
