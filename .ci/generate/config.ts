// docs/generated/config.md: the configuration as its reader needs it.

import { exitCodesText } from '../../src/commands/exit-codes.ts';
import { isSetting, type Setting } from '../../src/settings/setting-type.ts';
import { locations, settings } from '../../src/settings/settings.ts';
import { code, type GeneratedPage, generatedFrom, markdownTable } from './page.ts';

/** The page of settings. */
export const configPage: GeneratedPage = { file: 'docs/generated/config.md', make };

type Row = readonly [key: string, setting: Setting<unknown>];

function make(): string {
  const { limits, ...others } = settings;
  const all: readonly Row[] = [...rowsOf(locations, ''), ...rowsOf(others, '')];
  const flagged = all.filter(([, { flag }]) => flag !== undefined);
  const keyed = all.filter(([, { flag }]) => flag === undefined);
  const keyHead = ['key', 'default', 'value', 'meaning'];
  return `${generatedFrom('src/settings/settings.ts and src/settings/limits.ts')}

# Configuration

A flag wins over its environment variable, the variable over the configuration file, the file over
the default. The file is one JSON object; \`{"session": {"timeoutMinutes": 60}}\` and
\`{"session.timeoutMinutes": 60}\` say the same. The keys of flags, save \`home\` and \`config\`, may stand
in it too. A key that is unknown or a value that is wrong ends the start with one sentence. A
variable \`EDGE_…\` that no setting reads is named in a warning at the start, with the setting that
it may have meant; those that platforms, tests and benchmarks set (\`EDGE_CONTROL…\`,
\`EDGE_BENCH_…\`) are not. Relative paths start from the working directory, those in the file from
the file's own.

## Flags

${markdownTable(
  ['flag', 'environment', 'key', 'default', 'meaning'],
  flagged.map(([key, setting]) => [
    code(setting.flag),
    code(setting.environment),
    code(key),
    defaultOf(setting),
    setting.doc,
  ]),
)}

## Keys of the file

${markdownTable(keyHead, keyed.map(keyRow))}

## Limits

All other bounds are constants of the code ([bounds.md](bounds.md)). A limit that was a setting in
an older version is accepted in the file: its value is ignored, and the start logs a warning.

${markdownTable(keyHead, rowsOf(limits, 'limits.').map(keyRow))}

## Exit codes

${exitCodesText}
`;
}

function rowsOf(group: object, prefix: string): Row[] {
  return Object.entries(group).flatMap(([name, entry]): Row[] =>
    isSetting(entry) ? [[prefix + name, entry]] : rowsOf(entry, `${prefix}${name}.`),
  );
}

function keyRow([key, setting]: Row): string[] {
  return [code(key), defaultOf(setting), setting.expected, setting.doc];
}

function defaultOf({ default: value, defaultDoc }: Setting<unknown>): string {
  return defaultDoc?.replaceAll('<', '&lt;') ?? code(String(value));
}
