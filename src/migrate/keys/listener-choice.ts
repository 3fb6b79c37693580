// Which of the peer's addresses a controller of ours answers at, as it has only one.

import { shown } from '../../pki/import/server-pair.ts';
import { formatHostPort } from '../../settings/setting-type.ts';
import type { Findings } from '../configuration/findings.ts';
import type { KeySource } from '../configuration/key-source.ts';
import { type BindPoint, servedApis } from '../configuration/listeners.ts';
import type { PeerConfiguration } from '../configuration/peer-configuration.ts';
import { attempt, certificatesOf, type ReadFile } from './key-files.ts';

/** What a choice is made with. */
export interface ChoiceOrder {
  readonly configuration: PeerConfiguration;
  /** `--listener`: the interface or the address of a bind point. */
  readonly named: string | undefined;
  readonly readFile: ReadFile;
  readonly findings: Findings;
}

/**
 * The bind point that the operator named, or the one at which clients enroll. Undefined, and a
 * refusal, if there is none, or if bind points differ in their certificates and none was named.
 */
export function chosenBindPoint(order: ChoiceOrder): BindPoint | undefined {
  const { configuration, named, findings } = order;
  const candidates = configuration.bindPoints.filter(({ apis }) =>
    servedApis.some((api) => apis.has(api)),
  );
  const point = named === undefined ? undisputed(candidates, order) : byName(candidates, order);
  if (point === undefined) return undefined;
  tellOfApis(point, findings);
  const { apiAddress } = configuration;
  const address = formatHostPort(point.advertise);
  if (apiAddress !== undefined && formatHostPort(apiAddress) !== address) {
    findings.notice(
      `edge.api.address is ${formatHostPort(apiAddress)}, but the controller answers at ${address}: clients that know no other address have to reach it there.`,
    );
  }
  return point;
}

function byName(
  candidates: readonly BindPoint[],
  { named = '', findings }: ChoiceOrder,
): BindPoint | undefined {
  const found = candidates.find(
    ({ names, listen, advertise }) =>
      names.includes(named) || [listen, advertise].map(formatHostPort).includes(named),
  );
  if (found === undefined) {
    const known = candidates.map(({ names }) => names.join(' or ')).join(', ') || 'none';
    findings.refuse(
      `--listener is ${JSON.stringify(named)}, but the addresses of the configuration are: ${known}.`,
    );
  }
  return found;
}

function undisputed(candidates: readonly BindPoint[], order: ChoiceOrder): BindPoint | undefined {
  const { findings, configuration } = order;
  const [first] = candidates;
  if (first === undefined) {
    findings.refuse(
      `The configuration has no bind point in web with an interface, an address and an API of the network (${servedApis.join(', ')}).`,
    );
    return undefined;
  }
  const certificates = candidates.map((point) => certificateOf(point, order));
  if (certificates.some(({ print }) => print !== certificates[0]?.print)) {
    const listed = candidates.map(
      ({ names, place }, at) => `${names[1]} (${place}, ${certificates[at]?.name})`,
    );
    findings.refuse(
      `The network is served with different certificates, and the controller has one: choose an address by --listener, of ${listed.join(', ')}.`,
    );
    return undefined;
  }
  const { apiAddress } = configuration;
  const enrolled = apiAddress && formatHostPort(apiAddress);
  return candidates.find(({ advertise }) => formatHostPort(advertise) === enrolled) ?? first;
}

/** A certificate that cannot be read differs from all but itself; that is told where it is used. */
function certificateOf(
  { identity }: BindPoint,
  { readFile }: ChoiceOrder,
): { readonly print: string; readonly name: string } {
  const source = identity?.server.certificate;
  if (source === undefined) return { print: '', name: 'without a certificate' };
  const found = attempt(
    () => certificatesOf(source, readFile)[0],
    () => undefined,
  );
  if (found !== undefined) return { print: found.fingerprint256, name: shown(found) };
  return { print: heldBy(source), name: 'a certificate that cannot be read' };
}

/** What tells one source from another. */
export function heldBy(source: KeySource): string {
  switch (source.from) {
    case 'file':
      return source.path;
    case 'text':
      return source.pem;
    case 'module':
      return `${source.scheme}: ${source.place}`;
  }
}

/** Who reached only some of the APIs reaches all of them now. */
function tellOfApis({ apis, names }: BindPoint, findings: Findings): void {
  const added = servedApis.filter((api) => !apis.has(api));
  if (added.length === 0) return;
  findings.notice(
    `At ${names[1]} the APIs ${added.join(', ')} are served from now on, too; they were not before.`,
  );
}
