// The order of the site: sections, and the documents and folders of documents in them.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ApiName } from '../../src/declare/operations/apis.ts';

/** A part of the contents. */
export interface Section {
  readonly title: string;
  /** One sentence about the section, for the front page. */
  readonly purpose: string;
  /** Documents by their path in the repository; a folder stands for all documents in it. */
  readonly documents: readonly string[];
  /** The API of whose operations it lists the pages. */
  readonly api?: ApiName;
}

const sections: readonly Section[] = [
  {
    title: 'Begin here',
    purpose: 'A tour of five minutes, and the words that these pages use.',
    documents: ['README.md', 'docs/glossary.md'],
  },
  {
    title: 'Operating',
    purpose: 'Running a controller or a cluster: settings, bounds, backups, security, routers.',
    documents: [
      'docs/installation.md',
      'docs/migration.md',
      'docs/operations.md',
      'docs/security.md',
      'docs/durability.md',
      'docs/routers.md',
      'docs/cluster.md',
      'docs/generated/config.md',
      'docs/generated/bounds.md',
    ],
  },
  {
    title: 'Automating',
    purpose: 'The TypeScript client, networks in files, and the errors that programs meet.',
    documents: ['docs/client.md', 'docs/declarative-state.md', 'docs/generated/errors.md'],
  },
  {
    title: 'Management API',
    purpose: 'Each operation of administrators with its parameters, schemas and an example.',
    documents: [],
    api: 'management',
  },
  {
    title: 'Client API',
    purpose: 'The same for the operations of endpoints.',
    documents: [],
    api: 'client',
  },
  {
    title: 'Fabric API',
    purpose: 'The same for what carries traffic: routers, terminators, links and circuits.',
    documents: [],
    api: 'fabric',
  },
  {
    title: 'Behaviour',
    purpose: 'The rules of all APIs, by chapter.',
    documents: ['docs/behaviour/'],
  },
  {
    title: 'Inside',
    purpose: 'Architecture, state machines and decisions, for people who change the code.',
    documents: [
      'docs/architecture.md',
      'docs/principles.md',
      'docs/generated/machines.md',
      'machines/',
      'docs/generated/layouts.md',
      'snapshots/format.md',
      'src/',
      'docs/decisions.md',
      'docs/decisions-cluster.md',
      'docs/decisions-tools.md',
      'docs/track-record.md',
      'CONTRIBUTING.md',
      'CHANGELOG.md',
    ],
  },
  {
    title: 'Measured',
    purpose: 'The latest published benchmarks, and measurements by date.',
    documents: [
      'docs/generated/benchmarks.md',
      'docs/generated/benchmarks-routers.md',
      'docs/generated/benchmarks-oidc.md',
      'docs/generated/benchmarks-cli.md',
      'docs/generated/benchmarks-migrate.md',
      'docs/measurements/',
    ],
  },
];

/**
 * The sections with the documents at `root`. A document below `docs/` that no section names stands
 * in one of its own at the end.
 */
export function contentsOf(root: string): readonly Section[] {
  const named = sections.map((section) => ({
    ...section,
    documents: section.documents.flatMap((path) =>
      path.endsWith('/') ? documentsIn(root, path) : [path],
    ),
  }));
  const known = new Set(named.flatMap(({ documents }) => documents));
  const others = documentsIn(root, 'docs/').filter((path) => !known.has(path));
  if (others.length === 0) return named;
  return [...named, { title: 'More', purpose: 'Further documents.', documents: others }];
}

/** All documents in a folder and below it, its README first. */
function documentsIn(root: string, folder: string): readonly string[] {
  const names = (readdirSync(join(root, folder), { recursive: true }) as string[])
    .filter((name) => name.endsWith('.md'))
    .sort();
  const first = names.filter((name) => name === 'README.md');
  return [...first, ...names.filter((name) => name !== 'README.md')].map((name) => folder + name);
}
