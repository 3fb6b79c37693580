// Dead links of a built site: addresses without a file, anchors without an element, and everything
// that a page would load from another host. It reads only what was built.

import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/** A link that leads nowhere. */
export interface DeadLink {
  /** The page, as a path below the root of the site. */
  readonly page: string;
  /** As it stands in the page. */
  readonly address: string;
  readonly reason: string;
}

/** The result of a check. */
export interface CheckedLinks {
  readonly dead: readonly DeadLink[];
  /** Links to other hosts, which are not followed. */
  readonly external: readonly string[];
  readonly internalCount: number;
}

interface BuiltPage {
  readonly ids: ReadonlySet<string>;
  readonly twice: readonly string[];
  readonly links: readonly string[];
  readonly loaded: readonly string[];
}

/** Checks all pages in the folder `site`. */
export function checkLinks(site: string): CheckedLinks {
  const files = new Set(filesBelow(site));
  const pages = new Map(
    [...files]
      .filter((file) => file.endsWith('.html'))
      .map((file) => [file, readPage(readFileSync(join(site, file), 'utf8'))]),
  );
  const dead: DeadLink[] = [];
  const external = new Set<string>();
  let internalCount = 0;
  for (const [page, { twice, links, loaded }] of pages) {
    for (const id of twice) {
      dead.push({ page, address: `#${id}`, reason: 'two elements have this id' });
    }
    for (const address of loaded.filter(isExternal)) {
      dead.push({ page, address, reason: 'the page loads something from another host' });
    }
    for (const address of [...links, ...loaded]) {
      if (isExternal(address)) external.add(address);
      else {
        internalCount += 1;
        const reason = deadReason(page, address, files, pages);
        if (reason !== undefined) dead.push({ page, address, reason });
      }
    }
  }
  return { dead, external: [...external].sort(), internalCount };
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => posix.relative(folder, join(entry.parentPath, entry.name)));
}

/** Quotes of text are escaped in the pages, so what looks like an attribute is one. */
function readPage(html: string): BuiltPage {
  const attributes = [...html.matchAll(/<(\w+)\b[^<>]*?>/g)].flatMap(([tag, element = '']) =>
    [...tag.matchAll(/ (id|href|src)="([^"]*)"/g)].map(([, name = '', value = '']) => ({
      element,
      name,
      value: value.replaceAll('&amp;', '&'),
    })),
  );
  const ids = attributes.filter(({ name }) => name === 'id').map(({ value }) => value);
  const addresses = attributes.filter(
    ({ name, value }) => name !== 'id' && !value.startsWith('data:'),
  );
  const isLink = ({ element }: { readonly element: string }) => element === 'a';
  return {
    ids: new Set(ids),
    twice: ids.filter((id, index) => ids.indexOf(id) !== index),
    links: addresses.filter(isLink).map(({ value }) => value),
    loaded: addresses.filter((one) => !isLink(one)).map(({ value }) => value),
  };
}

function isExternal(address: string): boolean {
  return /^(?:[a-z][a-z+.-]*:|\/\/)/i.test(address);
}

function deadReason(
  page: string,
  address: string,
  files: ReadonlySet<string>,
  pages: ReadonlyMap<string, BuiltPage>,
): string | undefined {
  const [path = '', anchor] = address.split('#');
  const file = path === '' ? page : posix.join(posix.dirname(page), decodeURI(path));
  if (!files.has(file)) return `there is no ${file}`;
  if (anchor === undefined) return undefined;
  const isThere = pages.get(file)?.ids.has(decodeURIComponent(anchor)) === true;
  return isThere ? undefined : `${file} has no #${anchor}`;
}
