// Finds the path from a certificate up to a trusted one.

import type { Certificate, SignatureBudget } from './certificate.ts';

/** Certificates by their subject. */
export type BySubject = ReadonlyMap<string, readonly Certificate[]>;

/** The anchors of a path, and the intermediates it may use besides those that the client sent. */
export interface Trust {
  readonly anchors: BySubject;
  readonly intermediates: BySubject;
}

/** The properties of a path as a whole. */
export interface PathFacts {
  /**
   * The time in which all its certificates are valid, including the anchor; wall-clock ms. May be
   * empty.
   */
  readonly validFromMs: number;
  readonly validToMs: number;
  /**
   * Whether it is for a TLS client: each extended key usage along it allows clients, as Go's
   * verifier asks, and the key usage of the leaf allows handshakes.
   */
  readonly allowsClients: boolean;
}

/** An index of `certificates`; of equal subjects the one that is valid longest comes first. */
export function bySubject(certificates: Iterable<Certificate>): BySubject {
  const index = new Map<string, Certificate[]>();
  for (const certificate of [...certificates].sort((a, b) => b.validToMs - a.validToMs)) {
    const list = index.get(certificate.subject);
    if (list === undefined) index.set(certificate.subject, [certificate]);
    else list.push(certificate);
  }
  return index;
}

/**
 * The shortest path from `leaf` over the certificates `sent` with it to an anchor, both ends
 * included; undefined when there is none, or `budget` is used up. Dates are not checked, but of
 * certificates for the same name the one that is valid longest is tried first. Each certificate is
 * visited once, so the search ends even in chains built to loop or to fan out.
 */
export function pathToAnchor(
  leaf: Certificate,
  sent: BySubject,
  { anchors, intermediates }: Trust,
  budget: SignatureBudget,
): readonly [Certificate, ...Certificate[]] | undefined {
  if (!leaf.isUnderstood) return undefined;
  const visited = new Set([leaf]);
  const paths: [Certificate, ...Certificate[]][] = [[leaf]];
  // The loop also visits entries that it pushes itself: breadth first.
  for (const path of paths) {
    const last = path.at(-1) ?? leaf;
    const below = path.length - 1;
    for (const anchor of anchors.get(last.issuer) ?? []) {
      if (last.isIssuedBy(anchor, below, budget)) return [...path, anchor];
    }
    for (const index of [sent, intermediates]) {
      for (const next of index.get(last.issuer) ?? []) {
        if (visited.has(next) || !last.isIssuedBy(next, below, budget)) continue;
        visited.add(next);
        paths.push([...path, next]);
      }
    }
  }
  return undefined;
}

/** The properties that all certificates of a path have in common. */
export function pathFacts(path: readonly Certificate[]): PathFacts {
  return {
    validFromMs: Math.max(...path.map(({ validFromMs }) => validFromMs)),
    validToMs: Math.min(...path.map(({ validToMs }) => validToMs)),
    allowsClients:
      path[0]?.signsHandshakes !== false && path.every(({ allowsClients }) => allowsClients),
  };
}
