// The releases of the peer, by the version of their schema.

/** The lowest schema of a release, the newest release first. */
const releases: readonly (readonly [schema: number, release: string])[] = [
  [49, 'later than 2.1'],
  [48, '2.1'],
  [44, '2.0'],
  [39, '1.6'],
  [37, '1.0 to 1.5'],
  [36, '0.34'],
];

/** The release that writes a schema, in words such as `2.1`. */
export function releaseOf(schema: number): string {
  return releases.find(([lowest]) => schema >= lowest)?.[1] ?? 'older than 0.34';
}
