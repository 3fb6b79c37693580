// Shell completion in the shells themselves, where they are installed.

import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { t } from 'tap';
import { runToEnd } from './process.ts';

const missing = (shell: string) =>
  spawnSync(shell, ['-c', 'true']).status !== 0 && `${shell} is not installed`;

/** Words of a command line, and the completions that the shell offers for the last one. */
const cases: [words: string[], completed: string[]][] = [
  [['sta'], ['status']],
  [['st'], ['status', 'stop']],
  [
    ['cluster', 'st'],
    ['status', 'step-down'],
  ],
  [['admin', 'reset', '--rem'], ['--remove-mfa']],
  [['pki', 'import', '--pass'], ['--password-file']],
  [['run', '--home', '/x', '--tls-'], ['--tls-workers']],
  [['run', '--home', ''], []],
  [
    ['completion', ''],
    ['bash', 'zsh', 'fish', '--help'],
  ],
];

t.test('bash', { skip: missing('bash') }, async (t) => {
  const { code, stdout: script } = await runToEnd(t, ['completion', 'bash']);
  t.equal(code, 0);
  const file = join(t.testdir({}), 'script');
  const tried = cases.map(([words]) => {
    const quoted = ['edge-control', ...words].map((word) => `'${word}'`).join(' ');
    return `COMP_WORDS=(${quoted}); COMP_CWORD=${words.length}; _edge_control; echo "\${COMPREPLY[*]}"`;
  });
  writeFileSync(file, [script, ...tried].join('\n'));
  const said = execFileSync('bash', ['--noprofile', '--norc', file], { encoding: 'utf8' });
  t.same(
    said.trimEnd().split('\n'),
    cases.map(([, completed]) => completed.join(' ')),
  );
});

t.test('zsh', { skip: missing('zsh') }, async (t) => {
  const { stdout: script } = await runToEnd(t, ['completion', 'zsh']);
  const file = join(t.testdir({ script }), 'script');
  execFileSync('zsh', ['-f', '-n', file]);
  const program = `compdef() { :; }; compadd() { echo "$@"; }; _files() { :; }
source '${file}'; words=(edge-control cluster st); CURRENT=3; PREFIX=st; _edge_control`;
  t.match(execFileSync('zsh', ['-f', '-c', program], { encoding: 'utf8' }), /status step-down/);
});

t.test('fish', { skip: missing('fish') }, async (t) => {
  const { stdout: script } = await runToEnd(t, ['completion', 'fish']);
  const file = join(t.testdir({ script }), 'script');
  for (const [words, completed] of cases.filter(([, { length }]) => length === 1)) {
    const line = `source '${file}'; complete -C 'edge-control ${words.join(' ')}'`;
    const said = execFileSync('fish', ['--no-config', '-c', line], { encoding: 'utf8' });
    t.match(said, completed[0]);
  }
});

t.test('another shell', async (t) => {
  const { code, stderr } = await runToEnd(t, ['completion', 'tcsh']);
  t.equal(code, 2);
  t.match(stderr, /^edge-control: .*Allowed choices are bash, zsh, fish; see [^\n]*\n$/);
});
