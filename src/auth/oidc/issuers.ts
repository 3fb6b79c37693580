// The names under which the OIDC provider can be reached: each of them is an issuer
// (behaviour/oidc#issuers).

import type { X509Certificate } from 'node:crypto';
import { oidcPath } from '../../declare/operations/apis.ts';
import { hostPort } from '../../settings/setting-type.ts';

/** Where a controller, and the nodes of its cluster, can be reached. */
export interface IssuerSources {
  /** The certificate that the API is served with at present. */
  readonly certificate: () => X509Certificate;
  /** `host:port` of this controller and of every node of its cluster, as clients are told. */
  readonly authorities: () => Iterable<string>;
  /** Ports besides those of `authorities`, such as that of a direct listener. */
  readonly ports: () => Iterable<number>;
}

/** The issuers of a controller. */
export class Issuers {
  readonly #sources: IssuerSources;
  /** The names in the certificate that was read last. */
  #named: { readonly by: X509Certificate; readonly hosts: ReadonlySet<string> } | undefined;

  constructor(sources: IssuerSources) {
    this.#sources = sources;
  }

  /**
   * `https://HOST:PORT` of a request by its header `Host`; undefined for a foreign one. Port 443
   * may be left out.
   */
  originOf(host: string): string | undefined {
    const named = hostPort(host) ?? hostPort(`${host}:443`);
    if (named === undefined) return undefined;
    const authorities = [...this.#sources.authorities()].map(hostPort);
    const ports = [...authorities.map((one) => one?.port), ...this.#sources.ports()];
    const name = named.host.toLowerCase();
    const isOurs =
      this.#hosts().has(name) || authorities.some((one) => one?.host.toLowerCase() === name);
    return isOurs && ports.includes(named.port) ? `https://${host.toLowerCase()}` : undefined;
  }

  /** The issuer of a request; undefined for a foreign `Host`. */
  issuerOf(host: string): string | undefined {
    const origin = this.originOf(host);
    return origin === undefined ? undefined : origin + oidcPath;
  }

  /** Whether a claim `iss` names this network. */
  has(issuer: string): boolean {
    const start = 'https://';
    if (!issuer.startsWith(start) || !issuer.endsWith(oidcPath)) return false;
    return this.issuerOf(issuer.slice(start.length, -oidcPath.length)) === issuer;
  }

  /** DNS names and addresses of the certificate; a name with a wildcard is no issuer. */
  #hosts(): ReadonlySet<string> {
    const certificate = this.#sources.certificate();
    if (this.#named?.by === certificate) return this.#named.hosts;
    const hosts = new Set<string>();
    for (const name of (certificate.subjectAltName ?? '').split(', ')) {
      const [, host] = /^(?:DNS|IP Address):([0-9A-Za-z.:-]+)$/.exec(name) ?? [];
      if (host !== undefined) hosts.add(canonical(host));
    }
    this.#named = { by: certificate, hosts };
    return hosts;
  }
}

/** Certificates show IPv6 addresses without `::` (`0:0:0:0:0:0:0:1`). */
function canonical(host: string): string {
  if (!host.includes(':')) return host.toLowerCase();
  return new URL(`http://[${host}]`).hostname.slice(1, -1);
}
