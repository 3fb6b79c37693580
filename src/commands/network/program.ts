// The commands of a network as commander knows them: verbs, their arguments and flags. Only the
// flags of the kind that was typed are built.

import { type Command, InvalidArgumentError, Option } from 'commander';
import { flagRowsOf, settableFields } from './kinds/field-flags.ts';
import { noField } from './kinds/field-values.ts';
import type { KindRow } from './kinds/kind.ts';
import { kindRows } from './kinds/kind-rows.ts';
import { wordsOf } from './kinds/kinds.ts';
import { commonFlags, type NetworkVerb, networkVerbs, verbRows } from './verbs.ts';

/** A command of the network, as typed. */
export interface NetworkArguments {
  readonly command: 'network';
  readonly verb: NetworkVerb;
  readonly words: readonly string[];
  readonly flags: Readonly<Record<string, unknown>>;
}

/** The title of their group in the help. */
const networkGroup = 'The network:';

/** Whether the flags of a command are needed: for itself, for its help, or for completion. */
export function isBuilt(path: string, words: readonly string[]): boolean {
  const [first, second] = words;
  const typed = first === 'help' ? second : first;
  return typed === 'completion' || path.split(' ')[0] === typed;
}

/** Adds the verbs. @param words as typed, of which the kind decides the flags of fields */
export function addNetworkVerbs(
  program: Command,
  words: readonly string[],
  take: (read: NetworkArguments) => void,
): void {
  for (const verb of networkVerbs) {
    const row = verbRows[verb];
    const command = program.command(verb).description(row.doc).helpGroup(networkGroup);
    for (const [name, doc] of row.words) command.argument(name, doc);
    if (!isBuilt(verb, words)) continue;
    for (const [flag, doc] of [...row.flags, ...commonFlags]) command.addOption(once(flag, doc));
    const kind = row.takesFields === true && words[0] === verb ? kindIn(words, verb) : undefined;
    if (row.takesFields === true) addFields(command, kind);
    const examples = row.examples.map((example) => `  edge-control ${example}`).join('\n');
    command.addHelpText('after', `\nExamples:\n${examples}`);
    command.action((...given: unknown[]) => {
      const typed = given.slice(0, row.words.length).flat();
      take({
        command: 'network',
        verb,
        words: typed.filter((word) => typeof word === 'string'),
        flags: command.opts(),
      });
    });
  }
}

/** The kind that follows a verb, if there is one that the verb takes. */
function kindIn(words: readonly string[], verb: NetworkVerb): KindRow | undefined {
  for (const word of words.slice(1)) {
    const kind = kindRows.find((one) => wordsOf(one).includes(word.toLowerCase()));
    if (kind !== undefined) return kind.verbs.some((one) => one === verb) ? kind : undefined;
  }
  return undefined;
}

/**
 * The sentence for a flag that is no field of the kind that was typed, in place of commander's.
 * @param text commander's message
 * @returns undefined for any other message
 */
export function unknownField(words: readonly string[], text: string): string | undefined {
  const [, flag] = /^error: unknown option '--([^'=]+)/.exec(text) ?? [];
  const verb = networkVerbs.find((one) => one === words[0]);
  if (flag === undefined || verb === undefined || verbRows[verb].takesFields !== true) {
    return undefined;
  }
  const kind = kindIn(words, verb);
  if (kind === undefined) return undefined;
  return `edge-control: ${noField(kind, flag).message} (edge-control ${verb} ${kind.name} --help)\n`;
}

function addFields(command: Command, kind: KindRow | undefined): void {
  command.option(
    '--set <member=value>',
    'A member of a field: primary.updb.maxAttempts=5.',
    collect,
  );
  command.option('--tag <key=value>', 'A tag; KEY- removes it.', collect);
  if (kind === undefined) {
    command.addHelpText(
      'after',
      '\nFields are flags of the kind: edge-control update identity --help',
    );
    return;
  }
  const isCreation = command.name() === 'create';
  for (const field of settableFields(kind, isCreation)) {
    for (const [flag, doc] of flagRowsOf(field)) command.addOption(once(flag, doc));
  }
}

/** A flag that stands twice would silently lose its first value. */
function once(flag: string, doc: string): Option {
  const option = new Option(flag, doc);
  if (!/[<[]/.test(flag)) return option;
  return option.argParser((value: string, former: unknown) => {
    if (former !== undefined) throw new InvalidArgumentError('It is given twice.');
    return value;
  });
}

function collect(value: string, former: readonly string[] = []): string[] {
  return [...former, value];
}
