// src/commands/declarative/section-rows.ts: the sections of a network's file as data, so that
// commands that check no file load no resources.

import { sectionRowOf } from '../../src/commands/declarative/section-declarations.ts';
import { sectionNames } from '../../src/commands/declarative/sections.ts';
import { builtInRecords } from '../../src/resources/configs/built-in/index.ts';
import type { GeneratedPage } from './page.ts';

/** The page. */
export const sectionsPage: GeneratedPage = {
  file: 'src/commands/declarative/section-rows.ts',
  make: () => {
    const names = builtInRecords.flatMap(({ kind, record }) =>
      kind === 'configType' && 'name' in record ? [record.name] : [],
    );
    return [
      '// The sections. Made of section-declarations.ts by npm run generate. Do not edit.',
      '',
      "import type { SectionRow } from './sections.ts';",
      '',
      '/** Every section, in the order in which their entities can be created. */',
      'export const sectionRows: readonly SectionRow[] = [',
      ...sectionNames.map((name) => `  ${JSON.stringify(sectionRowOf(name))},`),
      '];',
      '',
      '/** Names of the config types that every controller has. */',
      `export const builtInConfigTypes: readonly string[] = ${JSON.stringify(names)};`,
      '',
    ].join('\n');
  },
};
