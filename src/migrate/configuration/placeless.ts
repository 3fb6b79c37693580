// The keys of the peer's configuration that have no place in a home, each with what that means.

import type { UnreadKey } from './section.ts';

/** A key without a place. */
export interface PlacelessKey extends UnreadKey {
  /** A sentence: what happens without it. */
  readonly meaning: string;
}

const ownDefaults = 'The controller has no such setting and follows its own rules.';

/** Beginnings of paths, without positions in lists; the first that fits counts. */
const meanings: readonly (readonly [beginning: string, meaning: string])[] = [
  ['v', 'The version of the file is not one that is known: read all of the report with care.'],
  ['trace', 'The controller records no traces of messages.'],
  ['profile', 'The controller is profiled by the means of Node, not by a setting.'],
  ['network', ownDefaults],
  ['command', ownDefaults],
  ['routing', ownDefaults],
  ['tls', ownDefaults],
  ['ctrl', 'The control channel of routers follows rules of its own, besides its addresses.'],
  ['events', 'Events are written where the settings events.* say, which have to be set anew.'],
  ['metrics', 'Metrics are served at the address of the setting metrics.listen.'],
  ['healthChecks', 'Health checks are answered at the address of the setting metrics.listen.'],
  ['mgmt', 'The management API is served at the address of the setting listen.'],
  [
    'additionalTrustDomains',
    'There is one trust domain; certificates with names of others keep their holders.',
  ],
  ['cluster', 'A node of a cluster is added by edge-control cluster join.'],
  ['raft', 'A node of a cluster is added by edge-control cluster join.'],
  [
    'identity.cert',
    'The controller needs no certificate as a client. It names the trust domain and the controller.',
  ],
  ['web.identity.cert', 'The controller needs no certificate as a client.'],
  [
    'identity.alt_server_certs',
    'One certificate is served to everybody; a proxy can serve another one to browsers.',
  ],
  [
    'web.identity.alt_server_certs',
    'One certificate is served to everybody; a proxy can serve another one to browsers.',
  ],
  ['web.name', 'There is one listener, which needs no name.'],
  ['web.options', 'Times and versions of TLS are the same for all: TLS 1.2 and 1.3.'],
  ['web.bindPoints', 'The API is served at one address of the machine.'],
  [
    'web.apis',
    'APIs other than those of the network need a setting of their own, such as console.',
  ],
  ['edge.api', ownDefaults],
  [
    'edge.oidc',
    'Revocations of tokens follow rules of their own; redirects are oidc.redirectUris.',
  ],
  ['edge', ownDefaults],
  ['web', ownDefaults],
  ['identity', ownDefaults],
];

/** A key with what it means that it has no place. */
export function placeless({ path, value }: UnreadKey): PlacelessKey {
  const plain = path.replaceAll(/\[\d+\]/g, '');
  const found = meanings.find(
    ([beginning]) => plain === beginning || plain.startsWith(`${beginning}.`),
  );
  return { path, value, meaning: found?.[1] ?? 'No controller of this release knows such a key.' };
}
