// The keys and certificates of a network as the files of `<home>/pki/`. Whatever is wrong with them
// is told in sentences.

import type { X509Certificate } from 'node:crypto';
import { commonName } from '../../pki/x509/certificate-text.ts';
import type { PkiPaths } from '../configuration/home-settings.ts';
import type { KeySource } from '../configuration/key-source.ts';
import type { BindPoint } from '../configuration/listeners.ts';
import type { PeerConfiguration } from '../configuration/peer-configuration.ts';
import { networkAuthorities, withoutPublicAuthorities } from './authorities.ts';
import { climb } from './certificate-chain.ts';
import { attempt, certificatesOf } from './key-files.ts';
import { checkIssuer, checkServer } from './pair-checks.ts';
import {
  type KeyContext,
  type Material,
  readPair,
  refuseModules,
  type TakenPair,
} from './pairs.ts';
import { pkiFiles } from './pki-files.ts';
import { trustDomainOf } from './trust-domain.ts';

/** The keys of a network. */
export interface NetworkKeys {
  /** Texts of the files, by their names below `<home>/pki`. */
  readonly files: ReadonlyMap<string, string>;
  /** The settings by which a start finds them. */
  readonly pki: PkiPaths;
  /** What the API is served with, and what signed the enrollment JWTs that are out. */
  readonly server: TakenPair | undefined;
  /** What signs certificates. */
  readonly issuer: TakenPair | undefined;
  /** The CAs that judge certificates, roots and intermediates. */
  readonly authorities: readonly X509Certificate[];
}

/** The keys of the listener at a bind point, and those of the signing CA. */
export function networkKeys(
  configuration: PeerConfiguration,
  point: BindPoint,
  context: KeyContext,
): NetworkKeys {
  const material = readMaterial(configuration, point, context);
  const { server, issuer, authorities, pool, client } = material;
  checkIssuer(issuer, context);
  checkServer(material, hostsOf(configuration, point), context);
  const domain = trustDomainOf(
    {
      signing: issuer ? [issuer.certificate, climb(issuer.certificate, pool).root] : [],
      client,
      root: client && climb(client, pool).root,
      configured: configuration.trustDomain,
    },
    context.findings,
  );
  const named = domain === undefined ? {} : { trustDomain: domain };
  const known = controllerIdOf(client);
  const { files, pki } = pkiFiles(material);
  return { files, pki: { ...named, ...known, ...pki }, server, issuer, authorities };
}

/**
 * Routers know the controller by the common name of its client certificate. They would drop the API
 * sessions and circuits of one that has another id.
 */
function controllerIdOf(client: X509Certificate | undefined): Pick<PkiPaths, 'controllerId'> {
  const name = client === undefined ? '' : commonName(client);
  return name === '' ? {} : { controllerId: name };
}

function readMaterial(
  configuration: PeerConfiguration,
  point: BindPoint,
  context: KeyContext,
): Material {
  const { identity, listenerIdentities, signing } = configuration;
  const { findings } = context;
  const places = { place: point.place, certificate: undefined, key: undefined };
  const sources = point.identity?.server ?? places;
  refuseModules([sources, signing], context);
  const [server, issuer] = [sources, signing].map((pair) => readPair(pair, context));
  const clients = certificatesBeside([identity?.client], context);
  const identities = [identity, ...listenerIdentities];
  const alternatives = identities.flatMap((one) => one?.alternatives ?? []);
  const beside = [server, issuer].flatMap((pair) => pair?.beside ?? []);
  const own = [server, issuer].flatMap((pair) => pair?.certificate ?? []);
  const controlSource = identity?.server.certificate;
  const control = certificatesBeside([controlSource], context);
  const authorities = withoutPublicAuthorities(
    networkAuthorities(configuration, context),
    {
      own: [...own, ...beside, ...clients, ...control],
      forBrowsers: certificatesBeside(alternatives, context),
    },
    findings,
  );
  if (authorities.length === 0) {
    findings.refuse('The configuration names no CA that can be read, so nobody could be trusted.');
  }
  const others = [...beside, ...clients, ...control].filter(({ ca }) => ca);
  return { server, issuer, authorities, pool: [...authorities, ...others], client: clients[0] };
}

/** Certificates that are only looked at: what is wrong with them stops nothing. */
function certificatesBeside(
  sources: readonly (KeySource | undefined)[],
  { readFile, findings }: KeyContext,
): X509Certificate[] {
  return sources.flatMap((source) => {
    if (source === undefined || source.from === 'module') return [];
    const found = attempt(
      () => certificatesOf(source, readFile),
      (sentence) => findings.notice(sentence),
    );
    return found ?? [];
  });
}

/** The hosts that clients and routers are given. */
function hostsOf({ control }: PeerConfiguration, { advertise }: BindPoint) {
  return { host: advertise.host, controlHost: control.advertise?.host };
}
