// How the homes of the stock controller differ that are migrated.

/** A kind of keys that `ziti pki create` makes. */
export type PeerKeys = 'P256' | 'P384' | 'P521' | 'RSA 2048' | 'RSA 4096';

/** One network of the stock controller. */
export interface PeerShape {
  readonly keys: PeerKeys;
  /** Controllers of its cluster; 0 for one without a cluster, as before release 2.0. */
  readonly nodes: 0 | 1 | 3;
  /** Whether an intermediate of its own signs enrolled certificates. */
  readonly hasOwnSigner: boolean;
  /** Whether routers connect to another port than clients. */
  readonly hasControlPort: boolean;
  /** Whether certificates and configuration name a trust domain; clusters need one. */
  readonly hasTrustDomain: boolean;
  /** Whether the configuration names its paths by a variable. */
  readonly hasVariables: boolean;
  /** Whether clients log in by OIDC, as they do where it is announced. */
  readonly hasOidc: boolean;
}

/** Cheap, and like a quickstart in the rest. */
export const plainShape: PeerShape = {
  keys: 'P256',
  nodes: 0,
  hasOwnSigner: false,
  hasControlPort: false,
  hasTrustDomain: true,
  hasVariables: false,
  hasOidc: true,
};

/** Each of them is made with a seed of its own. */
export const peerShapes: readonly PeerShape[] = [
  plainShape,
  { ...plainShape, keys: 'RSA 2048', hasOwnSigner: true, hasTrustDomain: false },
  { ...plainShape, keys: 'P384', nodes: 1, hasControlPort: true },
  { ...plainShape, keys: 'RSA 4096', nodes: 3, hasVariables: true },
  { ...plainShape, keys: 'P521', hasOwnSigner: true, hasControlPort: true, hasVariables: true },
];

/** Networks with traffic. */
export const liveShapes: readonly PeerShape[] = [
  { ...plainShape, nodes: 1, hasControlPort: true },
  { ...plainShape, hasOidc: false },
];

/** A shape in words. */
export function describeShape(shape: PeerShape): string {
  const words = [
    shape.keys,
    shape.nodes === 0 ? 'without a cluster' : `a cluster of ${shape.nodes}`,
    ...(shape.hasOwnSigner ? ['a signing CA of its own'] : []),
    ...(shape.hasControlPort ? ['a port for routers'] : []),
    ...(shape.hasOidc ? [] : ['no OIDC']),
    ...(shape.hasTrustDomain ? [] : ['no trust domain']),
    ...(shape.hasVariables ? ['variables in its configuration'] : []),
  ];
  return words.join(', ');
}
