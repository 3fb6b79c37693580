// Which controller a command means: flags before the environment, then what is current, then the
// home that is here.

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { CommandFailure } from '../command-failure.ts';
import type { Context, ContextFiles, Contexts } from './contexts.ts';

/** The flags and variables that name a controller. */
export interface TargetSources {
  readonly flags: Readonly<Record<string, unknown>>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The working directory. */
  readonly directory: string;
}

/** A controller, and what is known of it. */
export type Target =
  | { readonly is: 'context'; readonly name: string; readonly context: Context }
  | {
      readonly is: 'url';
      readonly url: string;
      readonly caFile: string | undefined;
      readonly tokenFile: string | undefined;
    }
  | { readonly is: 'home'; readonly home: string };

const choices = ['context', 'url', 'home'] as const;
type Choice = (typeof choices)[number];

/** The controller that a command of the network means. @throws CommandFailure if none is named */
export function targetOf(sources: TargetSources, files: ContextFiles): Target {
  const { flags, environment, directory } = sources;
  const typed = only(
    'flags',
    (choice) => textOf(flags[choice]),
    (choice) => `--${choice}`,
  );
  const named =
    typed ??
    only(
      'variables',
      (choice) => environment[`EDGE_${choice.toUpperCase()}`] || undefined,
      (choice) => `EDGE_${choice.toUpperCase()}`,
    );
  const contexts = files.contexts();
  switch (named?.choice) {
    case 'context':
      return contextTarget(contexts, named.value);
    case 'home':
      return { is: 'home', home: resolve(directory, named.value) };
    case 'url':
      return urlTarget(named.value, contexts, sources);
    case undefined:
      break;
  }
  if (contexts.current !== undefined) return contextTarget(contexts, contexts.current);
  const home = resolve(directory, 'data');
  if (existsSync(join(home, 'pki/ca.pem'))) return { is: 'home', home };
  throw CommandFailure.wrong(
    'no controller is named: log in first (edge-control login HOST:PORT), or name a home by --home.',
  );
}

/** Several are a contradiction, within the flags as within the environment. */
function only(
  what: string,
  valueAt: (choice: Choice) => string | undefined,
  nameOf: (choice: Choice) => string,
): { readonly choice: Choice; readonly value: string } | undefined {
  const given = choices.flatMap((choice) => {
    const value = valueAt(choice);
    return value === undefined ? [] : [{ choice, value }];
  });
  if (given.length > 1) {
    const names = given.map(({ choice }) => nameOf(choice)).join(' and ');
    throw CommandFailure.wrong(`the ${what} ${names} exclude each other.`);
  }
  return given[0];
}

/** The context of a name. @throws CommandFailure without one */
export function contextTarget(contexts: Contexts, name: string): Target {
  const context = Object.hasOwn(contexts.contexts, name) ? contexts.contexts[name] : undefined;
  if (context !== undefined) return { is: 'context', name, context };
  const known = Object.keys(contexts.contexts);
  const list = known.length === 0 ? 'There are none.' : `Contexts are: ${known.join(', ')}.`;
  throw CommandFailure.notFound(`there is no context "${name}". ${list}`);
}

function urlTarget(
  given: string,
  contexts: Contexts,
  { flags, environment, directory }: TargetSources,
): Target {
  const url = controllerUrl(given);
  const path = (value: string | undefined) => (value ? resolve(directory, value) : undefined);
  const tokenFile = path(environment['EDGE_TOKEN_FILE']);
  if (tokenFile === undefined) {
    for (const [name, context] of Object.entries(contexts.contexts)) {
      if (context.urls.includes(url)) return { is: 'context', name, context };
    }
  }
  return {
    is: 'url',
    url,
    caFile: path(textOf(flags['ca']) ?? environment['EDGE_CA']),
    tokenFile,
  };
}

/** `HOST`, `HOST:PORT` or `https://HOST:PORT` as a URL without a path. @throws CommandFailure */
export function controllerUrl(given: string): string {
  const url = URL.canParse(withScheme(given)) ? new URL(withScheme(given)) : undefined;
  const isPlain =
    url !== undefined &&
    url.protocol === 'https:' &&
    url.hostname !== '' &&
    url.username === '' &&
    /^\/?$/.test(url.pathname) &&
    url.search === '' &&
    url.hash === '';
  if (!isPlain) {
    throw CommandFailure.wrong(`${JSON.stringify(given)} must be HOST:PORT or https://HOST:PORT.`);
  }
  const port = url.port === '' && !/:443\/?$/.test(given) ? `:${defaultPort}` : '';
  return `${url.origin}${port}`;
}

const defaultPort = 1280;

function withScheme(given: string): string {
  return given.includes('://') ? given : `https://${given}`;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
