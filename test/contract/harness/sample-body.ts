// A small body that a schema accepts, and bodies that it refuses, for requests that test something
// else.

import type { TSchema } from 'typebox';
import type { Described } from '../../declare/arbitrary.ts';

/** The smallest value that fits: what is required and nothing else. */
export function sampleBody(schema: TSchema): unknown {
  const described = schema as Described;
  if (described.const !== undefined) return described.const;
  if (described.enum !== undefined) return described.enum[0];
  if (described.anyOf?.[0] !== undefined) return sampleBody(described.anyOf[0]);
  const { type } = described;
  switch (Array.isArray(type) ? type[0] : type) {
    case 'string':
      return sampleText(described);
    case 'integer':
    case 'number':
      return described.minimum ?? 0;
    case 'boolean':
      return false;
    case 'array':
      return Array.from({ length: described.minItems ?? 0 }, () =>
        sampleBody(described.items ?? {}),
      );
    default:
      return sampleObject(described);
  }
}

function sampleText({ format, minLength = 1 }: Described): string {
  switch (format) {
    case 'date-time':
      return '2026-01-01T00:00:00Z';
    case 'uri':
      return 'https://example.com/';
    case 'uuid':
      return '00000000-0000-4000-8000-000000000000';
    default:
      return 'x'.repeat(Math.max(1, minLength));
  }
}

function sampleObject({ properties = {}, required = [] }: Described): Record<string, unknown> {
  return Object.fromEntries(required.map((name) => [name, sampleBody(properties[name] ?? {})]));
}

/** Texts that are no body of this schema: no JSON, another type, a property of another type. */
export function wrongBodies(schema: TSchema): string[] {
  const { type, properties = {} } = schema as Described;
  const wrongType = type === 'array' ? '{}' : '[]';
  const misfit = Object.entries(properties).find(([, { type: inner }]: [string, Described]) =>
    ['string', 'boolean', 'integer', 'array', 'object'].includes(String(inner)),
  );
  const bodies = ['{"broken', '"text"', '7', wrongType];
  if (misfit === undefined) return bodies;
  const [name, { type: inner }] = misfit as [string, Described];
  const whole = sampleObject(schema as Described);
  return [...bodies, JSON.stringify({ ...whole, [name]: inner === 'object' ? 'text' : {} })];
}
