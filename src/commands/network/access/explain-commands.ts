// `explain` and `can`: why an identity can or cannot use a service.

import type { ProcessContext } from '../../../assembly/process-context.ts';
import type { Explanation } from '../../../explain/schema.ts';
import { printable } from '../../../platform/printable.ts';
import { CommandFailure } from '../command-failure.ts';
import { type Asking, rowsOf } from '../connection/asking.ts';
import { kindNamed } from '../kinds/kinds.ts';
import { type Entity, entityNamed, nameOf } from '../kinds/names.ts';
import { outputOrder, yamlStyle } from '../output/output.ts';
import { type Destination, destinationIn, intercepts } from '../publish/address.ts';
import { adviceOn } from './explain-advice.ts';
import { printTables } from './explain-tables.ts';

/** Prints why, in words. @throws CommandFailure */
export async function explainAccess(
  asking: Asking,
  [identity, service]: readonly [string, string],
  flags: Readonly<Record<string, unknown>>,
  context: ProcessContext,
): Promise<void> {
  const order = outputOrder(flags);
  const { form } = order;
  const explanation = await explanationOf(asking, identity, service);
  if (form === 'json') return context.out(`${JSON.stringify(explanation, null, 2)}\n`);
  if (form === 'yaml') {
    const { stringify } = await import('yaml');
    return context.out(stringify(explanation, yamlStyle));
  }
  const { dial, summary } = explanation;
  const head = `Dial is ${dial.isAllowed ? 'allowed' : 'refused'}.`;
  // Most identities host nothing, so only those who want all read that no policy lets them.
  const sentences = summary.filter(
    (sentence) => flags['all'] === true || !sentence.startsWith('No Bind policy links '),
  );
  const lines = [head, ...sentences.map((sentence) => `- ${printable(sentence)}`)];
  const advice = adviceOn(explanation);
  if (advice !== undefined) lines.push(`Try: ${printable(advice)}`);
  context.out(`${lines.join('\n')}\n`);
  if (flags['all'] === true) printTables(explanation, order, context);
}

/** Prints yes or no. @returns whether it may @throws CommandFailure */
export async function mayAccess(
  asking: Asking,
  [identity, verb, service]: readonly [string, string, string],
  context: ProcessContext,
): Promise<boolean> {
  if (verb !== 'dial' && verb !== 'bind') {
    throw CommandFailure.wrong(`"${verb}" must be dial or bind: can IDENTITY dial SERVICE`);
  }
  const { [verb]: access } = await explanationOf(asking, identity, service);
  context.out(`${access.isAllowed ? 'yes' : 'no'}: ${printable(reasonIn(access.verdict))}\n`);
  return access.isAllowed;
}

/** A verdict as the rest of a sentence. */
function reasonIn(verdict: string): string {
  const text = verdict
    .replace(/\.$/, '')
    .replace(/^(Dial|Bind) is (refused: |allowed, ?|allowed)/, '');
  return text === '' ? 'it is allowed' : text.replace(/^No /, 'no ');
}

async function explanationOf(
  asking: Asking,
  identity: string,
  service: string,
): Promise<Explanation> {
  const who = await entityNamed(asking, kindNamed('identity'), identity);
  const what = await serviceTyped(asking, service);
  const path = `/identities/${who.id}/services/${what.id}/explain`;
  const answer = (await asking.ask('GET', path)) as { readonly data: Explanation };
  return answer.data;
}

/** A service by its name, its id, or an address under which clients reach it. */
async function serviceTyped(asking: Asking, word: string): Promise<Entity> {
  const kind = kindNamed('service');
  const destination = destinationIn(word);
  try {
    return await entityNamed(asking, kind, word);
  } catch (error) {
    const isMissing = error instanceof CommandFailure && error.details.code === 'NOT_FOUND';
    if (destination === undefined || !isMissing) throw error;
  }
  const found = await servicesAt(asking, destination);
  const [first, ...others] = found;
  if (first === undefined) {
    throw CommandFailure.notFound(`there is no service "${word}", and none has this address.`);
  }
  if (others.length === 0) return first;
  const names = found.map(nameOf).join(', ');
  throw CommandFailure.notFound(
    `several services have the address ${word}: ${names}.`,
    'AMBIGUOUS',
  );
}

async function servicesAt(asking: Asking, destination: Destination): Promise<Entity[]> {
  const type = await entityNamed(asking, kindNamed('config-type'), 'name:intercept.v1');
  const services = new Map<string, Entity>();
  const filter = `type = ${JSON.stringify(type.id)}`;
  for await (const config of rowsOf(asking, kindNamed('config'), filter)) {
    if (!intercepts(config['data'], destination)) continue;
    const withIt = `anyOf(configs) = ${JSON.stringify(config.id)}`;
    for await (const service of rowsOf(asking, kindNamed('service'), withIt)) {
      services.set(service.id, service);
    }
  }
  return [...services.values()];
}
