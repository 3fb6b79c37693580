// What a creation of a file lacks or has wrong, before the controller is asked.

import { schemaProblem } from '../../declare/resources/validate.ts';
import { bodyOf } from './entry.ts';
import type { Entry } from './file-entries.ts';
import { type CreationProblem, creationDefaults } from './plan.ts';
import { sectionSchemas } from './section-declarations.ts';
import type { Section } from './sections.ts';

/** What a creation lacks or has wrong; the controller would say the same. */
export function creationProblem(entry: Entry): CreationProblem | undefined {
  const { section, name, fields } = entry;
  if (section.name === 'identities' && fields['type'] === 'Router') {
    const reason = 'cannot be created: it comes with an edge router that has a tunneler';
    return { field: 'type', reason, value: name };
  }
  const body = { ...creationDefaults(section), name, ...bodyOf(section, fields, () => undefined) };
  const { create } = sectionSchemas[section.name];
  const { anyOf } = create as VariantSchema;
  const shape = anyOf?.find(({ properties }) => properties?.typeId?.const === fields['typeId']);
  if (anyOf !== undefined && shape === undefined) {
    const types = anyOf.map(({ properties }) => properties?.typeId?.const).join(', ');
    return { field: 'typeId', reason: `must be one of ${types}`, value: fields['typeId'] };
  }
  const problem = schemaProblem((shape ?? create) as typeof create, body);
  if (problem === undefined) return undefined;
  return { ...problem, field: fileFieldOf(section, problem.field) };
}

interface VariantSchema {
  readonly anyOf?: readonly {
    readonly properties?: { readonly typeId?: { readonly const?: unknown } };
  }[];
}

function fileFieldOf({ renamed }: Section, field: string): string {
  return Object.entries(renamed).find(([, { body }]) => body === field)?.[0] ?? field;
}
