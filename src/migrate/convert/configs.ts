// Configs of the peer: its numbers are float64, which JSON numbers are, too.

import { userSchemaProblem } from '../../declare/resources/user-schema.ts';
import { configKind } from '../../records/config.ts';
import { defineConversion } from './conversion.ts';
import { nameOf, textIn } from './entity-values.ts';
import { LeftOut } from './left-out.ts';
import { quoted } from './quoted.ts';

/** Data of a config type. */
export const configs = defineConversion({
  bucket: 'configs',
  kind: configKind,
  derived: ['identityServices', 'routers', 'services'],
  convert(entity, { found }, notes) {
    const name = nameOf(entity, notes);
    const configTypeId = textIn(entity, 'type');
    const data = entity.map('data');
    if (configTypeId === undefined) return new LeftOut('It names no config type.');
    const schema = found.schemas.get(configTypeId);
    const problem = schema && userSchemaProblem(schema, data);
    if (problem !== undefined) {
      const at = problem.field === '' ? 'They' : `The member ${quoted(problem.field)}`;
      notes.kept(
        `Its data are kept, although its config type refuses them at a write: ` +
          `${at} ${problem.reason.slice(0, 300)}.`,
      );
    }
    return { name, configTypeId, data };
  },
});
