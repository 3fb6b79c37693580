// docs/cli.md: the commands of a network, from their table.

import { flagOf } from '../../src/commands/network/kinds/field-values.ts';
import type { FieldRow, KindRow } from '../../src/commands/network/kinds/kind.ts';
import { operationsWithoutCommand } from '../../src/commands/network/kinds/operations.ts';
import { commonFlags, networkVerbs, verbRows } from '../../src/commands/network/verbs.ts';
import { kindRows } from './kinds.ts';
import { code, type GeneratedPage, generatedFrom, markdownTable } from './page.ts';

/** The page of the commands of a network. */
export const cliPage: GeneratedPage = { file: 'docs/cli.md', make };

const prose = `# The commands of a network

\`edge-control VERB [KIND] [NAME…] [flags]\` asks a running controller. \`edge-control --help\` lists
these verbs beside the commands of this machine, and \`edge-control VERB --help\` shows the flags of
one.

## Which controller

A flag comes before a variable of the environment. Only one of \`--context\`, \`--url\` and \`--home\`
can be given, and only one of \`EDGE_CONTEXT\`, \`EDGE_URL\` and \`EDGE_HOME\` can be set. Without any,
it is the current context, and without one the home in \`./data\`. Next to a home nobody has to log
in: the password of its administrator is at hand. A command that changes something names its
controller on standard error.

\`edge-control login\` creates a context in \`$XDG_CONFIG_HOME/edge-control/contexts.json\`
(\`~/.config\` by default): address, CAs, and how to log in. The token of the session is kept in
\`$XDG_STATE_HOME/edge-control/sessions.json\` (\`~/.local/state\`). Only their owner can read both
files. No password, code or key is ever kept. A session that has ended is renewed where nobody has
to type something for it.

At the first login, the CA of the controller has to be agreed to: at a terminal by its
fingerprint, or by \`--ca\`, \`--ca-fingerprint\` or an identity file. Another CA later is refused
until \`login --replace-ca\`.

\`login --enrollment-jwt\` needs neither an address nor a fingerprint: the controller whose key signed
the JWT is trusted. It enrolls, writes the identity file and logs in by it. \`login --oidc\` prints the
address of a login for a browser on this machine; its tokens are kept with the sessions and renewed
by the refresh token.

## Names and roles

A name or an id names an entity. If a text is the name of one entity and the id of another, it is
refused: \`name:TEXT\` and \`id:TEXT\` say which is meant. Sessions, enrollments and authenticators
have no names, so the identity that they belong to names them.

Roles are written with commas between them: \`staff\` and \`#staff\` are the attribute, \`@clerk\` is
the entity, \`all\` is everything. In an update \`+a,-b\` adds to a list and removes from it. An empty
text clears a value.

\`--set primary.updb.maxAttempts=5\` sets a member of a field that is an object. \`--tag key=value\`
sets a tag, and \`--tag key-\` removes it. \`-f FILE\` reads fields from YAML or JSON. A field that
the kind lacks is refused before anything is sent.

## Output

Standard output holds the answer alone; notes, questions and errors are on standard error. A table
fits the terminal: optional columns are left out, then the widest cells are shortened. In a pipe
and with \`-o wide\` nothing is left out. With \`-o json\` an error is one line of JSON.

## Completion

\`source <(edge-control completion bash)\`, or the same for zsh and fish, completes commands, kinds,
fields and their values, contexts, and names of entities. The controller is asked for names only in
a session that was saved, and for 0.3 s at most. They are kept for a minute in
\`$XDG_STATE_HOME/edge-control/names.json\`. A controller that is away offers nothing.`;

const exitCodeRows = [
  ['0', 'done'],
  ['1', 'the controller refused it, it failed in between, or a person answered no'],
  ['2', 'wrong words, flags, files or contexts, or a question for nobody; nothing was sent'],
  ['3', 'the answer of `can` is no'],
  ['4', 'nothing, or more than one entity, has this name'],
  ['5', 'not logged in, a second factor is missing, or the caller lacks a right'],
  ['6', 'no whole answer: out of reach, too slow, or another certificate'],
  ['75', 'the controller has no time now: try again'],
  ['130', 'ended by Ctrl-C'],
];

function make(): string {
  const kinds = kindRows().map((kind) => [
    code(kind.name),
    code(kind.short),
    kind.verbs.join(', '),
    fieldsText(kind),
  ]);
  return `${[
    generatedFrom('src/commands/network/verbs.ts and the resources'),
    prose,
    markdownTable(['exit code', 'meaning'], exitCodeRows),
    '## Verbs',
    ...networkVerbs.map(verbText),
    '### Flags of every verb',
    markdownTable(
      ['flag', 'meaning'],
      commonFlags.map(([flag, doc]) => [code(flag), doc]),
    ),
    '## Kinds',
    'A star marks fields that only a creation sets.',
    markdownTable(['kind', 'short', 'verbs', 'fields'], kinds),
    '## Operations without a command',
    'Every other operation of the management API and the fabric API has one.',
    markdownTable(
      ['reason', 'operations'],
      operationsWithoutCommand.map(([reason, keys]) => [reason, operationsText(keys)]),
    ),
  ].join('\n\n')}\n`;
}

function verbText(verb: (typeof networkVerbs)[number]): string {
  const { doc, words, flags, examples } = verbRows[verb];
  const usage = ['edge-control', verb, ...words.map(([word]) => word), '[flags]'].join(' ');
  const rows = [...words, ...flags].map(([word, text]) => [code(word), text]);
  return [
    `### ${verb}`,
    doc,
    `\`\`\`sh\n${[`# ${usage}`, ...examples.map((example) => `edge-control ${example}`)].join('\n')}\n\`\`\``,
    ...(rows.length > 0 ? [markdownTable(['word', 'meaning'], rows)] : []),
  ].join('\n\n');
}

/** Operations by their paths, those of the fabric API with its name. */
function operationsText(keys: readonly string[]): string {
  return keys.map((key) => code(key.replace(' management ', ' '))).join(', ');
}

/** Flags of the fields, those that only a creation takes with a star. */
function fieldsText({ fields }: KindRow): string {
  const text = (field: FieldRow) => `${code(flagOf(field))}${field.isFixed === true ? '*' : ''}`;
  return fields
    .filter(({ name }) => name !== 'name')
    .map(text)
    .join(' ');
}
