// The subjects of commits: `node .ci/subjects.ts`. Each begins with a verb in the imperative and
// has at most 72 characters (CONTRIBUTING.md, "Commits and releases"). Exit code 75: this clone
// does not reach back far enough.

import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';

/** The subjects up to this commit are as they are. */
const base = 'e1c624f1';

const charactersMax = 72;

/** Verbs that end as other forms do. */
const imperatives = new Set(['Bring', 'Embed', 'Feed', 'Focus', 'Need', 'Seed', 'Speed']);

/** First words of subjects that name a thing. */
const noVerbs = new Set([
  'A',
  'An',
  'The',
  'Each',
  'Every',
  'No',
  'One',
  'Two',
  'All',
  'It',
  'Now',
]);

/** The fault of a commit's subject; undefined if it has none. */
export function subjectFault(subject: string): string | undefined {
  const [first = ''] = subject.split(' ');
  if (subject.length > charactersMax) return `has ${subject.length} characters`;
  if (subject.endsWith('.')) return 'ends with a full stop';
  const isOther = noVerbs.has(first) || /(?:ing|ed|[^s]s)$/.test(first);
  const isVerb = /^[A-Z][a-z-]+$/.test(first) && (imperatives.has(first) || !isOther);
  return isVerb ? undefined : 'does not begin with a verb in the imperative';
}

function run(root: string): number {
  const git = (...words: readonly string[]) => {
    const { status, stdout } = spawnSync('git', words, { cwd: root, encoding: 'utf8' });
    return status === 0 ? stdout.trim() : undefined;
  };
  const log = git('log', '--no-merges', '--format=%h %s', `${base}..HEAD`);
  if (log === undefined) {
    console.log(`This clone does not hold ${base}, after which subjects are checked.`);
    return 75;
  }
  const faults = log.split('\n').flatMap((line) => {
    const fault = line === '' ? undefined : subjectFault(line.slice(line.indexOf(' ') + 1));
    return fault === undefined ? [] : [`${line}: ${fault}`];
  });
  for (const line of faults) console.log(line);
  console.log(`${faults.length} subjects to reword`);
  return faults.length === 0 ? 0 : 1;
}

if (import.meta.main) process.exitCode = run(resolve(import.meta.dirname, '..'));
