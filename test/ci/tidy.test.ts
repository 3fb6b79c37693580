// The rules of .ci/tidy.ts, each on a small bad sample beside a good one.

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { t } from 'tap';
import { citationFindings } from '../../.ci/tidy/citations.ts';
import { readProject } from '../../.ci/tidy/project.ts';
import { proseNameFindings } from '../../.ci/tidy/prose-names.ts';
import { wrapComments } from '../../.ci/tidy/wrap.ts';
import { tidy } from '../../.ci/tidy.ts';

const first = '// A sample.\n';
const lines = (count: number) => '  // a line\n'.repeat(count);

/** Path → text; each file's findings are expected below. */
const samples: Readonly<Record<string, string>> = {
  'src/main.ts': `${first}import './assembly/controller.ts';\nimport { used } from './http/exports.ts';\nconst { later } = await import('./http/exports.ts');\nvoid [used, later];\nvoid import('./http/lazy.ts');\nnew URL('./http/worker.ts', import.meta.url);\n`,
  'src/assembly/controller.ts': `${first}import { open } from '../store/good.ts';\ntype ControllerEnvironment = typeof open;\n(open as ControllerEnvironment)();\n`,
  'src/store/good.ts': `${first}/** Opens. */\nexport function open(): undefined {\n${lines(68)}}\n`,
  'src/store/up.ts': `${first}import { lazy } from '../http/lazy.ts';\nlazy();\n`,
  'src/store/test-code.ts': `${first}import '../../test/fine.ts';\nimport 'pino';\nimport 'tap';\n`,
  'src/store/up-by-type.ts': `${first}import type { Up } from '../http/lazy.ts';\n/** Goes up. */\nexport const upward = (): Up | undefined => undefined;\nvoid upward;\n`,
  'src/http/lazy.ts': `${first}/** A type. */\nexport type Up = string;\n/** Lazy. */\nexport const lazy = () => undefined;\n`,
  'src/http/worker.ts': first,
  'src/http/dead.ts': first,
  'src/http/dialect.ts': `${first}class A {\n  private a = 1;\n  #b = 2;\n  protected m(): number { return this.#b; }\n  private constructor() {}\n}\nconst MOST = A;\nconst K = MOST;\nconst isA = (e: Error) => e.name === 'NotFound' || e.name !== 'name';\nnew Function(String([K, isA]));\nvoid { ...{ a: isA }, b: [...[1, 2]] };\nimport type { Writer } from 'protobufjs';\nimport { Reader } from 'protobufjs/minimal.js';\nvoid (Reader as Writer);\n`,
  'src/http/merging.ts': `${first}import type { Up } from './lazy.ts';\ndeclare module './lazy.ts' {\n  interface Merged { up: Up }\n}\ntype ControllerEnvironment = Up;\n`,
  'src/http/only-tests.ts': `${first}/** A. */\nexport const a = 1;\n`,
  'src/http/exports.ts': `${first}/** Used. */\nexport const used = 1;\n/** Tests only. */\nexport const unused = 2;\n/** In a signature. */\nexport type Answer = 1;\n/** In none. */\nexport type Unused = 1;\n/** Used lazily. */\nexport const later = (): Answer => 1;\n`,
  'src/http/BadName.ts': first,
  'src/http/string-utils.ts': first,
  'src/placeless/thing.ts': first,
  'src/no-comment.ts': 'const a = 1;\nvoid a;\n',
  'src/http/names.ts': `${first}const dataManager = 1;\nconst managed = dataManager;\ninterface IShape { a: 1 }\ninterface Inner { a: IShape }\nvoid (managed as unknown as Inner);\n`,
  'src/http/long.ts': `${first}const long = () => {\n${lines(69)}};\nlong();\n`,
  'src/http/wide.ts': `${first}// ${'word '.repeat(20)}\nconst s = '${'x'.repeat(120)}';\n// https://example.com/${'x'.repeat(120)}\nconst sum = ${'1 + '.repeat(25)}s.length;\nvoid sum;\n`,
  'src/http/bounds.ts': `${first}/** Good, as it says why. @bound per request */\nconst rowsMax = 2 * 1024;\n/** Two things are wrong */\nconst bytesMax = 1;\n/** Per what? @bound per planet */\nexport const oddMax = 1;\n/** Twice. @bound */\nexport const twice = {\n  /** Once. @bound */\n  rowsMax: 1,\n};\nvoid [rowsMax, bytesMax];\n`,
  'src/http/default.ts': `${first}export default 1;\n`,
  'src/http/bare.ts': `${first}export const bare = 1;\nexport function f(): void;\nexport function f(): void {}\n`,
  'src/inspect/messages.ts': `${first}/** A type. */\nexport type Told = string;\n`,
  'src/inspect/assets.ts': `${first}import { pure } from './page/pure.ts';\nnew URL('./page/', import.meta.url);\npure();\n`,
  'src/inspect/page/main.tsx': `${first}import 'preact/hooks';\nimport 'pino';\nimport type { Told } from '../messages.ts';\nimport type { Up } from '../../http/lazy.ts';\nimport { pure } from './pure.ts';\nvoid (pure() as Told | Up);\n`,
  'src/inspect/page/pure.ts': `${first}/** Pure. */\nexport const pure = () => '';\n`,
  'src/inspect/page/dead-part.tsx': first,
  'machines/one.ts': `${first}import type { Up } from '../src/http/lazy.ts';\nimport { open } from '../src/store/good.ts';\nvoid (open as unknown as Up);\n`,
  'snapshots/one.ts': `${first}import { open } from '../src/store/good.ts';\nimport '../machines/one.ts';\nopen();\n`,
  'test/fine.ts': `${first}export const fine = 1;\nexport type ControllerEnvironment = 1;\n`,
  'test/used.test.ts': `${first}import { a } from '../src/http/only-tests.ts';\nimport { unused } from '../src/http/exports.ts';\nvoid [a, unused];\n`,
  'test/store/shared.test.ts': `${first}import 'node:v8';\nimport t from 'tap';\nimport './taps.ts';\nprocess.env['A'] = 'a';\ndelete process.env['A'];\nprocess.exitCode = 1;\nprocess.chdir('/');\nif (process.memoryUsage().heapUsed > 1) process.exit();\nvoid [t, '/proc/self/fd', process.env['B'], process.pid];\n`,
  'test/store/taps.ts': `${first}import type { Test } from 'tap';\nimport { test } from 'tap';\nvoid (test as unknown as Test);\n`,
  'test/system/own.test.ts': `${first}import 'node:v8';\nprocess.env['A'] = 'a';\ndelete process.env['A'];\nprocess.exitCode = 1;\nprocess.chdir('/');\nif (process.memoryUsage().heapUsed > 1) process.exit();\n`,
  'test/run.ts': `${first}process.exitCode = 1;\n`,
  '.ci/build.ts': `${first}import '../src/store/up.ts';\nimport '../src/store/test-code.ts';\nimport '../src/http/BadName.ts';\nimport '../src/http/string-utils.ts';\nimport '../src/placeless/thing.ts';\nimport '../src/no-comment.ts';\nimport '../src/http/names.ts';\nimport '../src/http/long.ts';\nimport '../src/http/wide.ts';\nimport '../src/http/default.ts';\nimport '../src/http/bounds.ts';\nimport '../src/http/circle-1.ts';\nimport { bare, f } from '../src/http/bare.ts';\nimport '../snapshots/one.ts';\nimport '../src/inspect/assets.ts';\nimport '../src/http/dialect.ts';\nimport '../src/http/merging.ts';\nconst dataManager = [bare, f];\nvoid dataManager;\n`,
  'test/properties.ts': `${first}export * from 'fast-check';\n`,
  'test/chance.test.ts': `${first}import type { Arbitrary } from 'fast-check';\nimport { nat } from 'fast-check';\nimport './properties.ts';\nvoid (nat() satisfies Arbitrary<number>);\n`,
};

/** Five files in a circle of types. */
const circle = Object.fromEntries(
  Array.from({ length: 5 }, (_, at) => [
    `src/http/circle-${at + 1}.ts`,
    `${first}import type { C${((at + 1) % 5) + 1} } from './circle-${((at + 1) % 5) + 1}.ts';\n/** One. */\nexport type C${at + 1} = readonly C${((at + 1) % 5) + 1}[];\n`,
  ]),
);

const expected = [
  '.ci/build.ts:19: "manager" names no thing; name what it is',
  'machines/one.ts:3: machines import no values from src/store/good.ts',
  'snapshots/one.ts:2: snapshots import no values from src/store/good.ts',
  'src/http/BadName.ts:1: file names are kebab-case',
  'src/http/bare.ts:2: exported without a doc comment',
  'src/http/bare.ts:3: exported without a doc comment',
  'src/http/bounds.ts:1: @bound stands last in the doc comment of a constant that is a plain number',
  'src/http/bounds.ts:1: bytesMax: lacks @bound',
  'src/http/bounds.ts:1: oddMax: a bound is per request, connection, session, identity, address, entity, worker, controller',
  'src/http/bounds.ts:1: rowsMax: another bound has this name',
  'src/http/circle-1.ts:1: in a circle of imports with 4 files, at most 3',
  'src/http/dead.ts:1: dead: nothing that runs imports it',
  'src/http/default.ts:2: default exports have no name to search for',
  'src/http/dialect.ts:10: errors are told apart by class, with instanceof',
  'src/http/dialect.ts:11: only src/declare/kinds/compiled.ts generates code',
  'src/http/dialect.ts:12: a literal is written out, not spread',
  'src/http/dialect.ts:12: a literal is written out, not spread',
  'src/http/dialect.ts:14: only src/channel/messages/codec.ts imports protobufjs, which generates code',
  'src/http/dialect.ts:3: private members are called #name',
  'src/http/dialect.ts:5: private members are called #name',
  'src/http/dialect.ts:8: MOST: constants are camelCase',
  'src/http/exports.ts:5: no code that ships imports unused from here',
  'src/http/exports.ts:9: no code that ships imports Unused from here',
  'src/http/long.ts:2: function of 71 lines, at most 70',
  'src/http/merging.ts:3: nothing is merged into another module: a layer names what it may use in its context.ts',
  'src/http/merging.ts:6: only src/assembly/ and tests know all parts of the controller',
  'src/http/names.ts:2: "manager" names no thing; name what it is',
  'src/http/names.ts:4: IShape: interfaces carry no I',
  'src/http/only-tests.ts:1: only tests or benchmarks import it',
  'src/http/string-utils.ts:1: "utils" names no thing; name what it is',
  'src/http/wide.ts:2: line of 103 columns, at most 100',
  'src/http/wide.ts:5: line of 121 columns, at most 100',
  'src/inspect/assets.ts:2: imports src/inspect/page/pure.ts, which runs in browsers',
  'src/inspect/page/dead-part.tsx:1: dead: nothing that runs imports it',
  'src/inspect/page/main.tsx:3: pino is no package of the page',
  'src/inspect/page/main.tsx:5: the page takes nothing from src/http/lazy.ts',
  'src/no-comment.ts:1: has no place in the order of .ci/tidy/imports.ts',
  'src/no-comment.ts:1: must begin with a comment saying why the file exists',
  'src/placeless/thing.ts:1: has no place in the order of .ci/tidy/imports.ts',
  'src/store/test-code.ts:2: imports test/fine.ts, which is not shipped',
  'src/store/test-code.ts:4: tap is no dependency of the running controller',
  'src/store/up-by-type.ts:1: dead: nothing that runs imports it',
  'src/store/up-by-type.ts:2: imports up: src/http/lazy.ts stands above it',
  'src/store/up.ts:2: imports up: src/http/lazy.ts stands above it',
  'test/chance.test.ts:3: takes fast-check past test/properties.ts, which sets the seed',
  ...[
    '10: looks at its own process',
    '2: measures the heap',
    '5: changes the environment',
    '6: changes the environment',
    '7: sets the exit code',
    '8: changes the directory',
    '9: ends the process',
    '9: measures the memory',
  ].map(
    (fault) =>
      `test/store/shared.test.ts:${fault}, but shares its process with other test files (test/runner/alone.ts)`,
  ),
  'test/store/taps.ts:3: only a .test.ts file imports values from tap',
];

t.test('every rule finds its sample and nothing else', async (t) => {
  const root = t.testdir({
    'package.json': '{"dependencies": {"pino": "1", "protobufjs": "8"}}',
    'tsconfig.json':
      '{"compilerOptions": {"module": "nodenext", "allowImportingTsExtensions": true, "noEmit": true, "types": []}, "include": ["src", "machines", "snapshots", "test", ".ci/**/*"], "exclude": ["src/inspect/page"]}',
    src: {
      inspect: {
        page: {
          'tsconfig.json':
            '{"extends": "../../../tsconfig.json", "compilerOptions": {"jsx": "react-jsx"}, "include": ["."], "exclude": []}',
        },
      },
    },
  });
  for (const [path, text] of Object.entries({ ...samples, ...circle })) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const findings = tidy(root).map(({ file, line, text }) => `${file}:${line}: ${text}`);
  t.strictSame(findings.sort(), expected);
});

t.test('a citation leads to a chapter and a heading', async (t) => {
  // Joined here, as this file is checked like any other.
  const [section, chapter] = ['§4.2', 'behaviour'];
  const root = t.testdir({
    docs: {
      behaviour: {
        'posture.md': '# Posture\n\n## Wake & unlock\n\nSee [lists](lists.md#none).\n',
        'lists.md': '# Lists\n\n[wake](posture.md#wake--unlock), [none](none.md)\n',
      },
      generated: { 'errors.md': `${chapter} ${section}` },
      'track-record.md': `${chapter} ${section}`,
      'decisions.md': `a\n${chapter} ${section}`,
    },
    src: {
      'good.ts': [
        `// ${chapter}/lists, ${chapter}/posture#wake--unlock.`,
        `// docs/${chapter}/lists.md says how; RFC 9110 §5.6.4, and ${chapter} at large.`,
        '// https://yaml.org/spec/1.2.2 is a standard, and 3 decisions are none.',
      ].join('\n'),
      'dead.ts': `// a\n// ${chapter}/none\n// ${chapter}/lists#wake--unlock, ${chapter}/lists`,
      'outside.ts': [
        `/** ${chapter} ${section}`,
        ` * as ${chapter}`,
        ` * ${section} has it, spec/${1} "Session", ${'decisions'} 4 and 5 (${'design'}, "Failures")`,
        ` * (${'issue'} 8, "Inspector")`,
        ' */',
      ].join('\n'),
    },
    test: { cases: { 'rows.txt': `# ${chapter}\n# ${section}\n## ${chapter}/lists\n` } },
    'README.md': `[posture](docs/${chapter}/posture.md#sleep)`,
  });
  const findings = citationFindings(root).map(({ file, line, text }) => `${file}:${line}: ${text}`);
  const outside = 'cites a document that is not in the repository; cite docs/behaviour';
  t.strictSame(findings.sort(), [
    `README.md:1: ${chapter}/posture.md#sleep: there is no heading for #sleep`,
    `docs/${chapter}/lists.md:3: ](none.md): there is no docs/${chapter}/none.md`,
    `docs/${chapter}/posture.md:5: ](lists.md#none): there is no heading for #none`,
    `docs/decisions.md:2: ${outside}`,
    `src/dead.ts:2: ${chapter}/none: there is no docs/${chapter}/none.md`,
    `src/dead.ts:3: ${chapter}/lists#wake--unlock: there is no heading for #wake--unlock`,
    `src/outside.ts:1: ${outside}`,
    `src/outside.ts:2: ${outside}`,
    `src/outside.ts:3: ${outside}`,
    `src/outside.ts:3: ${outside}`,
    `src/outside.ts:3: ${outside}`,
    `src/outside.ts:4: ${outside}`,
    `test/cases/rows.txt:1: ${outside}`,
  ]);
});

t.test('a file or symbol that prose names is there', async (t) => {
  const text = (names: readonly string[]) => names.map((name) => `\`${name}\`\n`).join('');
  const there = [
    'src/',
    'src/store',
    'src/store/store.ts',
    'store/store.ts',
    'store.ts',
    'npm test src/store/store',
    'dist/src/main.js',
    'config.json',
    'other/project.ts',
    'src/*.ts',
    'later',
    'Store',
    'Store.write()',
    'goneMember',
  ];
  const deadFiles = ['src/gone/', 'src/store/gone.ts', 'store/gone.ts', 'gone.ts', 'src/gone'];
  const deadSymbols = ['Gone', 'Store.goneMember', 'goneCall'];
  const root = t.testdir({
    '.gitignore': 'dist/\n',
    'tsconfig.json': '{"compilerOptions": {"types": []}, "include": ["src"]}',
    docs: {
      'architecture.md': `\`\`\`\n\`gone.ts\`\n\`\`\`\n${text([...there, ...deadFiles, ...deadSymbols])}`,
      'other.md': text(['goneCall', 'gone.ts']),
      generated: { 'errors.md': text(['gone.ts']) },
    },
    src: {
      'main.ts':
        "// `store.ts` is there, `gone.ts` is not.\nconst goneMember = '`gone.ts`';\nvoid goneMember;\n",
      store: {
        'README.md': text(['store.ts', 'main.ts', 'src/main.ts', 'goneCall(1)']),
        'store.ts': 'export class Store {\n  write() {}\n}\n',
      },
    },
  });
  const findings = proseNameFindings(root, readProject(root));
  const noFile = 'there is no such file';
  const noName = 'the code has no such name';
  const firstDead = 4 + there.length;
  t.same(
    findings.map(({ file, line, text }) => `${file}:${line}: ${text}`).sort(),
    [
      ...[...deadFiles, ...deadSymbols].map((name, at) => {
        const missing = at < deadFiles.length ? noFile : noName;
        return `docs/architecture.md:${firstDead + at}: \`${name}\`: ${missing}`;
      }),
      `docs/other.md:2: \`gone.ts\`: ${noFile}`,
      `src/main.ts:1: \`gone.ts\`: ${noFile}`,
      `src/store/README.md:2: \`main.ts\`: ${noFile}`,
      `src/store/README.md:4: \`goneCall\`: ${noName}`,
    ].sort(),
  );
});

t.test('wide comments are broken at spaces', async (t) => {
  const words = (count: number) => Array.from({ length: count }, () => 'word').join(' ');
  t.equal(
    wrapComments(`// ${words(22)}\nconst a = 1;`),
    `// ${words(19)}\n// ${words(3)}\nconst a = 1;`,
  );
  t.equal(
    wrapComments(`  /** ${words(22)} */`),
    `  /**\n   * ${words(19)}\n   * ${words(3)}\n   */`,
    'a one-line doc comment opens up',
  );
  t.equal(
    wrapComments(` * ${words(22)}\n * below.\n * @throws x`),
    ` * ${words(19)}\n * ${words(3)} below.\n * @throws x`,
    'what is over runs into the paragraph below',
  );
  t.equal(
    wrapComments(` * @throws ${words(22)}\n * @returns x`),
    ` * @throws ${words(18)}\n *   ${words(4)}\n * @returns x`,
    'and stays under its tag',
  );
  for (const kept of [`// https://x/${'y'.repeat(120)}`, `const s = '${words(30)}';`, '// short']) {
    t.equal(wrapComments(kept), kept);
  }
});
