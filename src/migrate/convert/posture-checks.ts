// Posture checks of the peer: the fields of a type stand in a bucket that has its name.

import { parseVersionRange } from '../../posture/version-range.ts';
import {
  neverTimesOut,
  type PostureCheckRecord,
  postureCheckKind,
} from '../../records/posture-check.ts';
import { hexDigits, type Process } from '../../records/posture-process.ts';
import type { PeerFields } from '../peer/entity.ts';
import { SourceDamaged } from '../source-problem.ts';
import { defineConversion } from './conversion.ts';
import { nameOf, sortedSet, textIn } from './entity-values.ts';
import type { EntityNotes } from './notes.ts';
import { quoted, quotedList } from './quoted.ts';

/** Checks of all types. */
export const postureChecks = defineConversion({
  bucket: 'postureChecks',
  kind: postureCheckKind,
  derived: ['bindServices', 'dialServices', 'servicePolicies'],
  convert(entity, _context, notes) {
    const typeId = textIn(entity, 'typeId');
    const own = byType.get(typeId ?? '');
    const values = {
      name: nameOf(entity, notes),
      roleAttributes: sortedSet(entity, 'roleAttributes'),
      version: entity.integer('version') ?? 1,
    };
    // Without the check its policies would admit endpoints that fail it.
    if (typeId === undefined || own === undefined) {
      throw new SourceDamaged(`Its type ${quoted(typeId ?? '')} is not known.`);
    }
    const fields = entity.below(typeId);
    if (fields === undefined)
      throw new SourceDamaged(`The bucket ${typeId} of its type is missing.`);
    return { ...values, typeId, ...own(fields, notes) };
  },
});

type Own = Partial<PostureCheckRecord>;

type Reader = (fields: PeerFields, notes: EntityNotes) => Own;

const byType: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['OS', (fields, notes) => ({ operatingSystems: systemsOf(fields, notes) })],
  ['DOMAIN', (fields) => ({ domains: fields.set('domains') })],
  ['MAC', (fields) => ({ macAddresses: fields.set('macAddresses').map(hexDigits) })],
  ['MFA', mfaOf],
  ['PROCESS', (fields) => ({ process: processOf(fields) })],
  ['PROCESS_MULTI', multiOf],
]);

function mfaOf(fields: PeerFields): Own {
  const seconds = fields.integer('timeoutSeconds') ?? neverTimesOut;
  return {
    timeoutSeconds: seconds <= 0 ? neverTimesOut : seconds,
    promptOnWake: fields.flag('promptOnWake'),
    promptOnUnlock: fields.flag('promptOnUnlock'),
    ignoreLegacyEndpoints: fields.flag('ignoreLegacyEndpoints'),
  };
}

/** The systems stand directly in the bucket of the type. */
function systemsOf(fields: PeerFields, notes: EntityNotes): PostureCheckRecord['operatingSystems'] {
  return fields.names().flatMap((name) => {
    const system = fields.below(name);
    if (system === undefined) throw new SourceDamaged(`Its system ${quoted(name)} is no bucket.`);
    const type = systemTypeOf(textIn(system, 'osType') ?? name);
    const versions = system.set('osVersions');
    const bad = versions.filter((range) => parseVersionRange(range) === undefined);
    if (bad.length > 0) {
      notes.kept(`It has ranges of versions that are refused at a write: ${quotedList(bad)}.`);
    }
    return [{ type, versions }];
  });
}

const systemTypes: readonly Process['osType'][] = [
  'Windows',
  'WindowsServer',
  'Android',
  'iOS',
  'Linux',
  'macOS',
];

function systemTypeOf(text = ''): Process['osType'] {
  const type = systemTypes.find((one) => one === text);
  if (type === undefined) throw new SourceDamaged(`Its system ${quoted(text)} is not known.`);
  return type;
}

function processOf(fields: PeerFields): PostureCheckRecord['process'] {
  const signerFingerprint = textIn(fields, 'fingerprint');
  return {
    osType: systemTypeOf(fields.text('os')),
    path: fields.text('path') ?? '',
    hashes: fields.set('hashes'),
    ...(signerFingerprint === undefined ? {} : { signerFingerprint }),
  };
}

function multiOf(fields: PeerFields, notes: EntityNotes): Own {
  const semantic = textIn(fields, 'semantic') ?? 'AllOf';
  const processes = fields.below('processes');
  if (semantic !== 'AllOf' && semantic !== 'AnyOf') {
    notes.changed(`Its semantic ${quoted(semantic)} is not known, and becomes AllOf.`);
  }
  return {
    semantic: semantic === 'AnyOf' ? 'AnyOf' : 'AllOf',
    processes: (processes?.names() ?? []).map((name) => {
      const process = processes?.below(name);
      if (process === undefined)
        throw new SourceDamaged(`Its process ${quoted(name)} is no bucket.`);
      return {
        osType: systemTypeOf(process.text('osType')),
        path: process.text('path') ?? '',
        hashes: process.set('hashes'),
        signerFingerprints: process.set('signerFingerprints'),
      };
    }),
  };
}
