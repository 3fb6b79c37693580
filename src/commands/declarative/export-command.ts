// The command `export`: the network of a controller as a file.

import { Document, visit } from 'yaml';
import type { ProcessContext } from '../../assembly/process-context.ts';
import { ControllerUnreachable, RequestRefused } from '../../client/index.ts';
import { StartProblem } from '../../errors/errors.ts';
import { isPrintable, printableLines } from '../../platform/printable.ts';
import type { Config } from '../../settings/config.ts';
import { Progress } from '../offline/progress.ts';
import { fileVersion } from './file-entries.ts';
import type { ExportOrder, Format } from './flags.ts';
import { whileLoggedIn } from './logged-in.ts';
import { type Network, readNetwork } from './network.ts';
import { sectionNames, sections } from './sections.ts';
import { zitiFormOf } from './ziti-format.ts';

/**
 * Prints the network once all of it was read, so that a part never passes for the whole.
 * @throws StartProblem when it cannot be read
 */
export async function exportNetwork(
  config: Config,
  order: ExportOrder,
  context: ProcessContext,
): Promise<void> {
  const progress = new Progress(context);
  const network = await whileLoggedIn(config, order, context, async (client) => {
    try {
      return await readNetwork(client, (count) => progress.say(() => `${count} entities read`));
    } catch (error) {
      throw asStartProblem(error);
    } finally {
      progress.clear();
    }
  });
  context.out(printableLines(networkText(network, order.format)));
}

/** A sentence for what an operator can fix. */
function asStartProblem(error: unknown): unknown {
  const isKnown = error instanceof ControllerUnreachable || error instanceof RequestRefused;
  return isKnown ? new StartProblem(error.message) : error;
}

/** A network as the text of a file. */
function networkText(network: Network, format: Format): string {
  const isZiti = format === 'ziti' || format === 'ziti-yaml';
  const content = isZiti ? zitiContent(network) : ownContent(network);
  const isJson = format === 'json' || format === 'ziti';
  return isJson ? `${JSON.stringify(content, null, 2)}\n` : yamlOf(content);
}

/**
 * The text of a YAML file. Only double quotes can hold what a terminal must not be shown, which is
 * escaped when it is printed (YAML 1.2.2 §5.7).
 */
function yamlOf(content: object): string {
  const document = new Document(content, { aliasDuplicateObjects: false });
  visit(document, {
    Scalar: (_key, node) => {
      if (typeof node.value === 'string' && !isPrintable(node.value)) node.type = 'QUOTE_DOUBLE';
    },
  });
  return document.toString({ lineWidth: 0 });
}

function ownContent(network: Network): object {
  const content: Record<string, unknown> = { version: fileVersion };
  for (const name of sectionNames) {
    const entries = network.all(name).filter(({ kept }) => kept !== 'own');
    content[name] = entries.map((present) => ({ name: present.name, ...said(present.fields) }));
  }
  return content;
}

/** Empty values say the same as absent ones in a creation, and would hide what matters. */
function said(fields: Readonly<Record<string, unknown>>): object {
  const isSaid = ([name, value]: [string, unknown]) => {
    if (value === '' || (name === 'permissions' && isEmptyList(value))) return false;
    const isOptional = optional.has(name);
    return !(isOptional && typeof value === 'object' && Object.keys(value ?? {}).length === 0);
  };
  return Object.fromEntries(Object.entries(fields).filter(isSaid));
}

const optional = new Set([
  'tags',
  'appData',
  'ctrlChanListeners',
  'serviceHostingCosts',
  'serviceHostingPrecedences',
]);

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function zitiContent(network: Network): object {
  const content: Record<string, unknown> = {};
  for (const name of sectionNames) {
    if (name === 'transitRouters') continue;
    content[name] = network.all(name).flatMap((present) => {
      const entry = zitiFormOf(sections[name], present);
      return entry === undefined ? [] : [entry];
    });
  }
  return content;
}
