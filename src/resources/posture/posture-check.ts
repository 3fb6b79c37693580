// Posture checks: the requirements on endpoints (behaviour/posture).

import type { Variants } from '../../declare/resources/bodies.ts';
import type { Body, Draft } from '../../declare/resources/resource.ts';
import { fieldError } from '../../errors/errors.ts';
import { parseVersionRange } from '../../posture/version-range.ts';
import type { OperatingSystem } from '../../records/operating-system.ts';
import {
  neverTimesOut,
  type PostureCheckRecord,
  postureCheckKind,
} from '../../records/posture-check.ts';
import { hexDigits, type Process } from '../../records/posture-process.ts';
import { defineResource } from '../context.ts';
import { checkRoleAttributes } from '../policies/member-attributes.ts';

type PostureCheckDraft = Draft<PostureCheckRecord>;

const variants = {
  by: 'typeId',
  types: {
    OS: { required: ['operatingSystems'], optional: [] },
    DOMAIN: { required: ['domains'], optional: [] },
    MAC: { required: ['macAddresses'], optional: [] },
    MFA: {
      required: [],
      optional: ['timeoutSeconds', 'promptOnWake', 'promptOnUnlock', 'ignoreLegacyEndpoints'],
    },
    PROCESS: { required: ['process'], optional: [] },
    PROCESS_MULTI: { required: ['semantic', 'processes'], optional: [] },
  },
  // Samples name the shape of the body (behaviour/posture#types-of-the-samples).
  aliases: {
    postureCheckDomainCreate: 'DOMAIN',
    postureCheckDomainUpdate: 'DOMAIN',
    postureCheckDomainPatch: 'DOMAIN',
  },
} as const satisfies Variants;

/** Posture checks in the management API. */
export const postureChecks = defineResource({
  kind: postureCheckKind,
  path: 'posture-checks',
  answered: 'here',
  title: 'posture check',
  names: { one: 'PostureCheck', many: 'PostureChecks' },
  verbs: { management: ['list', 'get', 'create', 'update', 'patch', 'delete'] },
  permission: 'posture-check',
  access: { delete: 'admin-or-403' },
  variants,
  check(context, draft, body, stored) {
    checkRoleAttributes(context, draft);
    if (stored !== undefined) {
      keepType(draft, body);
      draft.version = stored.version + 1;
    }
    fillMfa(draft);
    checkSigner(body['process']);
    draft.process = withoutBlankSigner(draft.process);
    refuseBadRanges(draft.operatingSystems);
    checkHexTexts(draft);
  },
  example: { name: 'domain-joined', typeId: 'DOMAIN', domains: ['corp.example'] },
});

/**
 * The type cannot change, and a put without `typeId` keeps the stored type
 * (behaviour/posture#fixed-type).
 * @throws ApiError COULD_NOT_VALIDATE for another type, or a field that the stored one needs.
 */
function keepType(draft: PostureCheckDraft, body: Body): void {
  const given = body['typeId'];
  if (given !== undefined && given !== draft.typeId) {
    throw fieldError('typeId', `stays ${draft.typeId}`, given);
  }
  const own = variants.types[draft.typeId as keyof typeof variants.types];
  const values: Record<string, unknown> = draft;
  for (const name of own.required) {
    if (values[name] === undefined) throw fieldError(name, 'is required', undefined);
  }
  const names: readonly string[] = [...own.required, ...own.optional];
  for (const name of allOwnFields) if (!names.includes(name)) values[name] = undefined;
}

const allOwnFields = Object.values(variants.types).flatMap(({ required, optional }) => [
  ...required,
  ...optional,
]);

/** The defaults of an MFA check (behaviour/posture#fields). */
function fillMfa(draft: PostureCheckDraft): void {
  if (draft.typeId !== 'MFA') return;
  draft.timeoutSeconds ??= neverTimesOut;
  draft.promptOnWake ??= false;
  draft.promptOnUnlock ??= false;
  draft.ignoreLegacyEndpoints ??= false;
}

/** A blank fingerprint means none, so that a patch can clear it (behaviour/records#patch). */
function withoutBlankSigner(process: Process | undefined): Process | undefined {
  if (process?.signerFingerprint?.trim() !== '') return process;
  const { signerFingerprint: _, ...rest } = process;
  return rest;
}

/**
 * Refuses a text that would be read as no fingerprint although it is not blank: the check would let
 * unsigned programs pass. @throws ApiError COULD_NOT_VALIDATE.
 */
function checkSigner(given: unknown): void {
  const { signerFingerprint = '' } = (given ?? {}) as Partial<Process>;
  if (signerFingerprint.trim() === '' || hexDigits(signerFingerprint) !== '') return;
  const field = 'process.signerFingerprint';
  throw fieldError(field, 'holds no hexadecimal digit', signerFingerprint);
}

/**
 * Refuses texts without a digit, because an empty text would match a client that submits an empty
 * one.
 * @throws ApiError COULD_NOT_VALIDATE with the path of the first.
 */
function checkHexTexts({
  macAddresses = [],
  process,
  processes = [],
}: Pick<PostureCheckRecord, 'macAddresses' | 'process' | 'processes'>): void {
  refuseBlank('macAddresses', macAddresses);
  refuseBlank('process.hashes', process?.hashes ?? []);
  for (const [i, { hashes = [], signerFingerprints = [] }] of processes.entries()) {
    refuseBlank(`processes.${i}.hashes`, hashes);
    refuseBlank(`processes.${i}.signerFingerprints`, signerFingerprints);
  }
}

function refuseBlank(field: string, texts: readonly string[]): void {
  const at = texts.findIndex((text) => hexDigits(text) === '');
  if (at >= 0) throw fieldError(`${field}.${at}`, 'holds no hexadecimal digit', texts[at]);
}

/** @throws ApiError COULD_NOT_VALIDATE for a text that is not a range of versions. */
function refuseBadRanges(systems: readonly OperatingSystem[] | undefined): void {
  for (const [i, { versions }] of (systems ?? []).entries()) {
    const at = versions.findIndex((range) => parseVersionRange(range) === undefined);
    if (at < 0) continue;
    const field = `operatingSystems.${i}.versions.${at}`;
    throw fieldError(field, 'is not a range of versions', versions[at]);
  }
}
