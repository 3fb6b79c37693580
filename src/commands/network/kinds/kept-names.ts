// Names of entities that completion offers, kept for a short time in the state directory.

import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { ProcessContext } from '../../../assembly/process-context.ts';
import { printable } from '../../../platform/printable.ts';
import { isObject } from '../../declarative/entry.ts';
import { ContextFiles } from '../connection/contexts.ts';
import { readPrivate, replacePrivate } from '../connection/private-file.ts';
import { type Target, targetOf } from '../connection/target.ts';
import type { KindRow } from './kind.ts';

/** How long names are kept, in ms: while one command is typed. @bound */
const keptMsMax = 60_000;
/** Names of one kind: as many as a page of a list holds, so 100 KB of them. @bound */
const namesMax = 500;
/** Lists of names: those of several kinds and contexts that are typed within a minute. @bound */
const keptListsMax = 16;

/** The names of a kind. */
interface NameList {
  /** Which controller, and which kind. */
  readonly key: string;
  /** In ms since 1970. */
  readonly readAt: number;
  readonly names: readonly string[];
  /** Whether the kind has no other names. */
  readonly isWhole: boolean;
}

type Flags = Readonly<Record<string, unknown>>;

/** Finds names for completion: kept ones, or those that the controller tells in a saved session. */
export class KeptNames {
  readonly #context: ProcessContext;
  readonly #flags: Flags;
  readonly #waitMsMax: number;
  readonly #files: ContextFiles;

  /**
   * @param flags those of the typed command, of which some name the controller
   * @param waitMsMax how long the controller may take, in ms
   */
  constructor(context: ProcessContext, flags: Flags, waitMsMax: number) {
    this.#waitMsMax = waitMsMax;
    this.#context = context;
    this.#flags = flags;
    this.#files = new ContextFiles(context);
  }

  /** The names of all contexts. @throws CommandFailure for a file that cannot be used */
  contexts(): string[] {
    return Object.keys(this.#files.contexts().contexts);
  }

  /**
   * Names of a kind that begin with a text, which may be all that there are.
   * @throws CommandFailure if no controller tells them in time
   */
  async names(kind: KindRow, start: string): Promise<readonly string[]> {
    const target = targetOf({ ...this.#context, flags: this.#flags }, this.#files);
    const key = `${keyOf(target)} ${kind.name}`;
    const kept = this.#lists();
    const known = kept.find((one) => one.key === key);
    if (known !== undefined && (known.isWhole || start === '')) return known.names;
    const list = await this.#asked(target, kind, known === undefined ? '' : start);
    if (known !== undefined) return list.names;
    this.#keep([{ key, readAt: this.#context.clock.now(), ...list }, ...kept]);
    return list.isWhole || start === '' ? list.names : await this.names(kind, start);
  }

  async #asked(
    target: Target,
    kind: KindRow,
    start: string,
  ): Promise<Pick<NameList, 'names' | 'isWhole'>> {
    // The client is loaded only where names are not kept.
    const { whileInSavedSession } = await import('../connection/connection.ts');
    const flags = { timeout: this.#waitMsMax / 1000 };
    return await whileInSavedSession(target, flags, this.#context, async (connection) => {
      const filter = start === '' ? undefined : `name icontains ${JSON.stringify(start)}`;
      const page = await connection.page(kind, { filter, sort: 'name', limit: namesMax });
      const names = page.rows.map(({ name }) => String(name)).filter(isOffered);
      return { names, isWhole: page.total <= page.rows.length };
    });
  }

  /** Lists that are new enough; none of a file that cannot be used. */
  #lists(): NameList[] {
    const { namesPath } = this.#files;
    try {
      const text = namesPath === undefined ? undefined : readPrivate(namesPath);
      const found: unknown = JSON.parse(text ?? '[]');
      const nowMs = this.#context.clock.now();
      const isNew = ({ readAt }: NameList) => readAt <= nowMs && nowMs - readAt < keptMsMax;
      return Array.isArray(found) ? found.filter(isNameList).filter(isNew) : [];
    } catch {
      return [];
    }
  }

  /** Two processes at once lose the list of one of them, which is asked for again. */
  #keep(lists: readonly NameList[]): void {
    const { namesPath } = this.#files;
    if (namesPath === undefined) return;
    try {
      mkdirSync(dirname(namesPath), { recursive: true, mode: 0o700 });
      replacePrivate(namesPath, JSON.stringify(lists.slice(0, keptListsMax)));
    } catch {
      // Without a place, each completion asks.
    }
  }
}

function keyOf(target: Target): string {
  switch (target.is) {
    case 'context':
      return `context:${target.name} ${target.context.urls.join(' ')}`;
    case 'home':
      return `home:${target.home}`;
    case 'url':
      return `url:${target.url}`;
  }
}

/** The API allows far longer names, which nobody completes. @bound */
const nameCharactersMax = 200;

/** A shell would execute or misread what its terminal cannot show. */
function isOffered(name: string): boolean {
  return name !== '' && name.length <= nameCharactersMax && printable(name) === name;
}

function isNameList(value: unknown): value is NameList {
  return (
    isObject(value) &&
    typeof value['key'] === 'string' &&
    typeof value['readAt'] === 'number' &&
    typeof value['isWhole'] === 'boolean' &&
    Array.isArray(value['names']) &&
    value['names'].every((name) => typeof name === 'string' && isOffered(name))
  );
}
