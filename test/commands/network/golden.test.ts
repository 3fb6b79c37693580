// What commands print, byte for byte, in a pipe and on terminals of 80 and 120 columns: the files
// in `golden/`. `GOLDEN=write npm test test/commands/network/golden.test.ts` writes them anew. Ids,
// times and addresses differ from run to run, and are replaced by others of the same width.

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { t } from 'tap';
import { adminPassword, controller, roomOf } from '../../system/process.ts';
import { type Seat, stage, wordsOf } from './person.ts';

const directory = join(import.meta.dirname, 'golden');
const isWriting = process.env['GOLDEN'] === 'write';

const { person, serving } = await stage(t);

const publishDoor =
  "publish door.hall:22 --to staff --host-on '@north hall printer host' " +
  '--target 127.0.0.1:22 --via public --yes';

const made = [
  'create identity clerk --roles staff',
  'password clerk',
  "create identity 'north hall printer host' --roles hosts,printers-north,site-north",
  'create identity visitor --enroll',
  'disable visitor',
  'create er edge-1 --roles public --is-tunneler-enabled',
  'create er edge-2 --roles public',
  'publish printer.hall:9100 --name printer --to staff --host-on hosts --via public ' +
    '--role printers --yes',
  'create svc wiki --encryption-required',
];
for (const line of made) {
  const said = await person.types(wordsOf(line), { answers: ['correct horse'] });
  if (said.code !== 0) throw new Error(`${line}: ${said.err}`);
}

/** The lines of each example. Those that change something leave it as it was. */
const examples: Readonly<Record<string, readonly string[]>> = {
  'list-identities': ['list identities', 'list identities -o wide', 'list identities --no-headers'],
  'list-edge-routers': ['list er'],
  'list-services': ['list services', 'list services --columns name,address'],
  'list-with-a-limit': ['list identities --role staff --limit 1 -o name'],
  'list-as-ids': ['list identities -o id'],
  get: ['get identity clerk', 'get svc printer', 'get er edge-1', 'get sp "printer dial"'],
  create: ['create identity guest --roles staff', 'delete identity guest --yes'],
  'create-and-print-the-id': ['create svc feed -o id', 'delete svc feed --yes'],
  update: [
    'update identity clerk --roles +night,-staff',
    'update identity clerk --roles staff',
    'update identity clerk --colour red',
  ],
  names: ['get identity clark', 'get nonsense clerk', 'get identity clark -o json'],
  delete: ['delete identity clerk', 'delete identity nobody --yes --ignore-missing'],
  publish: [publishDoor, publishDoor, 'unpublish door.hall --yes'],
  explain: ['explain visitor printer.hall:9100', 'explain clerk printer'],
  can: ['can visitor dial printer', 'can clerk dial printer'],
};

const seats: Readonly<Record<string, Seat>> = {
  'a pipe': {},
  '80 columns': { columns: 80 },
  '120 columns': { columns: 120 },
};

for (const [name, lines] of Object.entries(examples)) {
  t.test(name, async (t) => {
    // By what is printed: the seats at which it is.
    const printed = new Map<string, string[]>();
    for (const [seat, how] of Object.entries(seats)) {
      const texts: string[] = [];
      for (const line of lines) {
        const { code, out, err } = await person.types(wordsOf(line), how);
        texts.push(`$ edge-control ${line}\n${out}${err}`, code === 0 ? '' : `[exit ${code}]\n`);
      }
      const text = settled(texts.join(''));
      printed.set(text, [...(printed.get(text) ?? []), seat]);
    }
    const parts = [...printed].map(([text, seated]) => `== ${seated.join(', ')}\n${text}`);
    const text = parts.join('');
    const file = join(directory, `${name}.txt`);
    if (isWriting) writeFileSync(file, text);
    t.equal(text, existsSync(file) ? readFileSync(file, 'utf8') : '', file);
  });
}

t.test('each golden file has its example', async (t) => {
  const files = Object.keys(examples).map((name) => `${name}.txt`);
  t.same(readdirSync(directory).sort(), files.sort());
});

t.test('a terminal of its own shows the same', async (t) => {
  const golden = readFileSync(join(directory, 'list-identities.txt'), 'utf8');
  for (const columns of [80, 120]) {
    const typed = [...controller, 'list', 'identities'].map((word) => `'${word}'`).join(' ');
    const environment = {
      PATH: process.env['PATH'],
      HOME: roomOf(t),
      EDGE_HOME: serving.home,
      EDGE_ADMIN_PASSWORD: adminPassword,
    };
    const shell = `stty cols ${columns}; ${typed}`;
    const text = execFileSync('script', ['-qec', shell, '/dev/null'], {
      env: environment,
      input: '',
      encoding: 'utf8',
    });
    const shown = settled(text.replaceAll('\r\n', '\n'));
    const part = golden.split(/^== /m).find((one) => one.includes(`${columns} columns\n`)) ?? '';
    t.ok(part.includes(`\n$ edge-control list identities\n${shown}`), shown);
  }
});

/** The text with ids, times and addresses of any run. */
function settled(text: string): string {
  return text
    .replaceAll(/\b\d{4}-\d\d-\d\d \d\d:\d\d\b/g, '2026-11-24 09:14')
    .replaceAll(/\b(pending, )\d\d:\d\d/g, '$112:15')
    .replaceAll(/https:\/\/[^\s:]+:\d+/g, 'https://localhost:1280')
    .replaceAll(serving.home, './data')
    .replaceAll(/"requestId":"[^"]*"/g, '"requestId":"…"')
    .replaceAll(/(?<![\w.-])[A-Za-z0-9._-]{10}(?![\w.-])/g, (word) =>
      isId(word) ? '7pQmKc0Zxa' : word,
    );
}

/** Words have no digits, and no capitals among small letters; nearly all ids have. */
function isId(word: string): boolean {
  if (/^\d{4}-\d\d-\d\d$/.test(word)) return false;
  return /\d/.test(word) || (/[A-Z]/.test(word) && /[a-z]/.test(word));
}
