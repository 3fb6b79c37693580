// The fields that the three families of policies share: semantic and role lists, their checks and
// display.

import Type from 'typebox';
import { parseSemantic } from '../access/roles.ts';
import type { Semantic } from '../declare/kinds/access-vocabulary.ts';
import { type Field, field } from '../declare/kinds/field.ts';

/** `AllOf` or `AnyOf`, in any case on input (behaviour/policies#semantic). */
export function semanticField(): Field<Semantic> {
  return field(Type.String({ maxLength: 100 }), {
    required: true,
    symbol: 'string',
    answerSchema: Type.Enum(['AllOf', 'AnyOf']),
    fromJson: (json) => parseSemantic(String(json)) ?? String(json),
  }) as Field<Semantic>;
}
