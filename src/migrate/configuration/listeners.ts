// The addresses at which the peer's controller was reached, and those that it named to others.

import { type HostPort, hostPort } from '../../settings/setting-type.ts';
import type { Findings } from './findings.ts';
import { type IdentitySources, identitySources, type SourceContext } from './key-source.ts';
import type { Section, UnreadKey } from './section.ts';

/** An address at which APIs were served. */
export interface BindPoint {
  /** Such as `web[0].bindPoints[1]`. */
  readonly place: string;
  readonly listen: HostPort;
  /** What clients call it. */
  readonly advertise: HostPort;
  /** `interface` and `address` as the file has them, for an operator who chooses by them. */
  readonly names: readonly string[];
  /** APIs by the name of their binding, such as `edge-client`. */
  readonly apis: ReadonlySet<string>;
  /** Undefined if nothing in the file says by which certificate it is served. */
  readonly identity: IdentitySources | undefined;
  /** What is lost if another one is chosen. */
  readonly keys: readonly UnreadKey[];
}

/** The addresses of the control channel. */
export interface ControlAddresses {
  readonly listen: HostPort | undefined;
  readonly advertise: HostPort | undefined;
}

/** APIs that a controller of ours serves at its one address. */
export const servedApis: readonly string[] = [
  'edge-client',
  'edge-management',
  'edge-oidc',
  'fabric',
];

/** The bind points of all listeners, and the identities of listeners that have their own. */
export function readListeners(
  root: Section,
  identity: IdentitySources | undefined,
  context: SourceContext,
): { readonly bindPoints: BindPoint[]; readonly identities: IdentitySources[] } {
  const identities: IdentitySources[] = [];
  const bindPoints = root.sections('web').flatMap((listener) => {
    const section = listener.section('identity');
    const own = section && identitySources(section, context);
    if (own !== undefined) identities.push(own);
    const apis = new Set(apisOf(listener));
    return listener.sections('bindPoints').flatMap((section) => {
      const point = readBindPoint(section, context.findings);
      return point === undefined ? [] : { ...point, apis, identity: own ?? identity };
    });
  });
  return { bindPoints, identities };
}

/** The bindings that have a place in a home are noted as read, others are not. */
function apisOf(listener: Section): string[] {
  return listener.sections('apis').flatMap((api) => {
    const binding = api.peekText('binding');
    if (binding === undefined) return [];
    if (servedApis.includes(binding)) api.pass('binding');
    return binding;
  });
}

/** Undefined for a bind point without an address on the machine, such as one in an overlay. */
function readBindPoint(
  section: Section,
  findings: Findings,
): Omit<BindPoint, 'apis' | 'identity'> | undefined {
  if (!section.has('interface')) return undefined;
  const names = ['interface', 'address'].map((name) => section.text(name));
  const [bound, address = bound] = names;
  if (bound === undefined || address === undefined) return undefined;
  const listen = addressIn(bound, section.pathOf('interface'), findings);
  const advertise = addressIn(address, section.pathOf('address'), findings);
  if (listen === undefined || advertise === undefined) return undefined;
  return {
    place: section.path,
    listen,
    advertise,
    names: [bound, address],
    keys: [
      { path: section.pathOf('interface'), value: bound },
      { path: section.pathOf('address'), value: address },
    ],
  };
}

/** The addresses of the control channel, in the section `ctrl`. */
export function readControl(root: Section, findings: Findings): ControlAddresses {
  const section = root.section('ctrl');
  const options = section?.section('options');
  return {
    listen: controlAddress(section, 'listener', findings),
    advertise: controlAddress(options, 'advertiseAddress', findings),
  };
}

function controlAddress(
  section: Section | undefined,
  name: string,
  findings: Findings,
): HostPort | undefined {
  const text = section?.text(name);
  if (section === undefined || text === undefined) return undefined;
  const place = section.pathOf(name);
  const plain = hostPort(text);
  if (plain !== undefined) return plain;
  const [, protocol = 'tls', rest = text] = /^([a-z]+):(?:\/\/)?(.*)$/.exec(text) ?? [];
  if (protocol === 'tls') return addressIn(rest, place, findings);
  findings.refuse(
    `${place} is of the protocol ${protocol}, but routers are served by tls alone: let them use tls at the network as it is, before it is migrated.`,
  );
  return undefined;
}

/** The address in a text; undefined, and a refusal, if it is none. */
export function addressIn(text: string, place: string, findings: Findings): HostPort | undefined {
  // A port alone stands for all interfaces.
  const address = hostPort(text.startsWith(':') ? `0.0.0.0${text}` : text);
  if (address !== undefined) return address;
  findings.refuse(
    `${place} is ${JSON.stringify(text)} but must be HOST:PORT, such as ctrl.example.com:1280.`,
  );
  return undefined;
}
