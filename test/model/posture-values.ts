// Random roles, checks and posture responses, from small sets of values so that they often meet.

import { placeOf, versionRanges, versions } from './posture-rules.ts';
import type { Check, Family, Space, Wanted, WantedProcess } from './posture-things.ts';

/** Draws from a seed. */
export class Draw {
  readonly below: (below: number) => number;

  /** `below` answers an integer from 0 to its argument, exclusive. */
  constructor(below: (below: number) => number) {
    this.below = below;
  }

  /** True in `part` of `whole` cases. */
  chance(part: number, whole: number): boolean {
    return this.below(whole) < part;
  }

  /** One of the list, undefined for an empty one. */
  oneOf<Value>(list: readonly Value[]): Value | undefined {
    return list.length === 0 ? undefined : list[this.below(list.length)];
  }

  /** One of a list that is not empty. */
  pick<Value>(list: readonly Value[]): Value {
    if (list.length === 0) throw new Error('nothing to pick from');
    return list[this.below(list.length)] as Value;
  }

  /** Up to `most` of the list, some of them twice. */
  some<Value>(list: readonly Value[], most: number): Value[] {
    if (list.length === 0) return [];
    return Array.from({ length: this.below(most + 1) }, () => this.pick(list));
  }

  /** As `some`, one at least. */
  oneOrMore<Value>(list: readonly Value[], most: number): Value[] {
    return [this.pick(list), ...this.some(list, most - 1)];
  }
}

const attributes = ['a', 'b', 'c', 'd'];

/** Up to `most` role attributes of a member, without doubles. */
export function randomAttributes(draw: Draw, most = 3): string[] {
  return [...new Set(draw.some(attributes, most))];
}

/** The names that role lists have in bodies, by family. */
export const roleFields: Readonly<Record<Family, Readonly<Partial<Record<Space, string>>>>> = {
  'service-policies': {
    identity: 'identityRoles',
    service: 'serviceRoles',
    check: 'postureCheckRoles',
  },
  'edge-router-policies': { identity: 'identityRoles', router: 'edgeRouterRoles' },
  'service-edge-router-policies': { service: 'serviceRoles', router: 'edgeRouterRoles' },
};

/** A role list over members with these ids: lists of checks are often empty, routers for all. */
export function randomRoles(draw: Draw, space: Space, ids: readonly string[]): string[] {
  const kind = draw.below(20);
  if (kind < (space === 'check' ? 5 : 1)) return [];
  if (kind >= { identity: 15, service: 15, router: 4, check: 20 }[space]) return ['#all'];
  const roles: string[] = [];
  for (let count = draw.pick([1, 1, 2]); count > 0; count--) {
    const id = draw.oneOf(ids);
    if (id !== undefined && draw.chance(1, 3)) roles.push(`@${id}`);
    else roles.push(`#${draw.pick(attributes)}`);
  }
  return [...new Set(roles)];
}

const systemTypes = ['Windows', 'Linux', 'macOS'];
const domains = ['corp.example', 'lab.example', 'home.example'];
const macAddresses = ['AA-BB-CC-00-11-22', 'aa:bb:cc:00:11:23', '001122334455'];
const paths = ['/bin/agent', '/bin/guard', '/bin/other'];
const hashes = ['AA:01', 'bb02'];
const signers = ['CC03', 'dd:04'];

/** What a new check asks for, of any type. */
export function randomWanted(draw: Draw): Wanted {
  const types = ['OS', 'DOMAIN', 'MAC', 'PROCESS', 'PROCESS_MULTI', 'MFA', 'MFA', 'MFA'] as const;
  return randomWantedOf(draw, draw.pick(types));
}

/** What a check of a type asks for. */
export function randomWantedOf(draw: Draw, typeId: Wanted['typeId']): Wanted {
  switch (typeId) {
    case 'OS': {
      const system = () => ({
        type: draw.pick(systemTypes),
        versions: [...new Set(draw.some(Object.keys(versionRanges), 2))],
      });
      return { typeId, systems: Array.from({ length: 1 + draw.below(3) }, system) };
    }
    case 'DOMAIN':
      return { typeId, domains: draw.oneOrMore(domains, 2) };
    case 'MAC':
      return { typeId, macAddresses: draw.oneOrMore(macAddresses, 2) };
    case 'PROCESS': {
      const wanted = process(draw);
      return { typeId, process: { ...wanted, signers: wanted.signers.slice(0, 1) } };
    }
    case 'PROCESS_MULTI':
      return {
        typeId,
        semantic: draw.pick(['AllOf', 'AnyOf']),
        processes: Array.from({ length: 1 + draw.below(2) }, () => process(draw)),
      };
    case 'MFA':
      return {
        typeId,
        timeoutSeconds: draw.pick([-1, 120, 450, 900]),
        promptOnWake: draw.chance(1, 2),
        promptOnUnlock: draw.chance(1, 2),
        ignoreLegacyEndpoints: draw.chance(1, 4),
      };
  }
}

function process(draw: Draw): WantedProcess {
  return {
    osType: draw.pick(systemTypes),
    path: draw.pick(paths),
    hashes: draw.chance(1, 2) ? [] : draw.oneOrMore(hashes, 2),
    signers: draw.chance(1, 2) ? [] : draw.oneOrMore(signers, 2),
  };
}

/** The fields of a check's body that say what it asks for, all of them. */
export function wantedBody(wanted: Wanted): Record<string, unknown> {
  switch (wanted.typeId) {
    case 'OS':
      return { typeId: wanted.typeId, operatingSystems: wanted.systems };
    case 'PROCESS': {
      const { signers: own, ...rest } = wanted.process;
      return { typeId: wanted.typeId, process: { ...rest, signerFingerprint: own[0] ?? '' } };
    }
    case 'PROCESS_MULTI': {
      const processes = wanted.processes.map(({ signers: own, ...rest }) => ({
        ...rest,
        signerFingerprints: own,
      }));
      return { typeId: wanted.typeId, semantic: wanted.semantic, processes };
    }
    default:
      return { ...wanted };
  }
}

/** What an endpoint submits, as the body of a posture response. */
export type Response =
  | { readonly typeId: 'OS'; readonly id: string; readonly type: string; readonly version: string }
  | { readonly typeId: 'DOMAIN'; readonly id: string; readonly domain: string }
  | { readonly typeId: 'MAC'; readonly id: string; readonly macAddresses: readonly string[] }
  | {
      readonly typeId: 'PROCESS';
      readonly id: string;
      readonly path: string;
      readonly isRunning: boolean;
      readonly hash: string;
      readonly signerFingerprints: readonly string[];
    }
  | {
      readonly typeId: 'ENDPOINT_STATE';
      readonly id: string;
      readonly woken: boolean;
      readonly unlocked: boolean;
    };

/** Responses to a check, right ones as far as that is in the power of an endpoint. */
export function rightResponses(draw: Draw, check: Check): Response[] {
  const { id, wanted } = check;
  if (wanted.typeId === 'MFA') return [];
  if (wanted.typeId !== 'PROCESS_MULTI') return [responseTo(draw, check, true)];
  return wanted.processes.map((process) => processResponse(draw, id, process, true));
}

/**
 * One response to a check, sometimes right. Checks of type MFA are answered by what the endpoint
 * went through.
 */
export function randomResponse(draw: Draw, check: Check): Response {
  return responseTo(draw, check, draw.chance(1, 2));
}

function responseTo(draw: Draw, { id, wanted }: Check, isRight: boolean): Response {
  switch (wanted.typeId) {
    case 'OS': {
      const system = draw.pick(wanted.systems);
      const type = isRight ? system.type.toUpperCase() : draw.pick([...systemTypes, 'BeOS']);
      const isIn = versionRanges[system.versions[0] ?? ''];
      const inside = isIn && versions.find((version) => isIn(placeOf(version) ?? -1));
      return {
        typeId: 'OS',
        id,
        type,
        version: (isRight ? inside : undefined) ?? draw.pick(versions),
      };
    }
    case 'DOMAIN': {
      const domain = isRight ? draw.pick(wanted.domains).toUpperCase() : draw.pick(domains);
      return { typeId: 'DOMAIN', id, domain };
    }
    case 'MAC': {
      const own = isRight ? wanted.macAddresses : draw.some(macAddresses, 2);
      return { typeId: 'MAC', id, macAddresses: own.map((one) => one.toLowerCase()) };
    }
    case 'PROCESS':
      return processResponse(draw, id, wanted.process, isRight);
    case 'PROCESS_MULTI':
      return processResponse(draw, id, draw.pick(wanted.processes), isRight);
    case 'MFA':
      return {
        typeId: 'ENDPOINT_STATE',
        id,
        woken: draw.chance(1, 2),
        unlocked: draw.chance(1, 2),
      };
  }
}

function processResponse(
  draw: Draw,
  id: string,
  wanted: WantedProcess,
  isRight: boolean,
): Response {
  return {
    typeId: 'PROCESS',
    id,
    path: isRight ? wanted.path : draw.pick(paths),
    isRunning: isRight || draw.chance(1, 2),
    hash: isRight ? (wanted.hashes[0] ?? '').toLowerCase() : draw.pick(['', ...hashes]),
    signerFingerprints: isRight ? wanted.signers : draw.some(signers, 2),
  };
}
