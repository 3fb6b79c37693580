// The examples that the help of each verb shows are typed, in their order, in a network that has
// what they name.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { t } from 'tap';
import { type NetworkVerb, networkVerbs, verbRows } from '../../../src/commands/network/verbs.ts';
import { makeCertificate } from '../../simulated/certificates.ts';
import { adminPassword, roomOf } from '../../system/process.ts';
import { anyLogin } from './furnished.ts';
import { type Seat, stage, wordsOf } from './person.ts';

const { serving, person } = await stage(t);
const directory = roomOf(t);
const address = new URL(serving.url).host;
const caFile = join(serving.home, 'pki/ca.pem');

const authority = await makeCertificate({
  name: 'partner',
  as: 'authority',
  keyType: 'ec-p256',
  nowMs: Date.now(),
});
const key = authority.key.export({ type: 'pkcs8', format: 'pem' });
writeFileSync(join(directory, 'partner.key'), key, { mode: 0o600 });
writeFileSync(join(directory, 'clerk.txt'), 'battery staple\n', { mode: 0o600 });

const logInAsCi = `login ${address} --user admin --name ci --ca '${caFile}'`;

/** What is there when the examples of a verb begin. */
const before: Readonly<Partial<Record<NetworkVerb, readonly string[]>>> = {
  login: [
    'create identity admin-2 --is-admin --enroll --identity-file admin.json',
    'create identity deploy --is-admin --enroll --out deploy.jwt',
  ],
  logout: [logInAsCi],
  whoami: [logInAsCi],
  contexts: [logInAsCi],
  list: ['create identity visitor', 'create er edge-1 --roles public'],
  get: ['create identity clerk --roles staff', 'create svc printer --roles printers'],
  create: [
    'delete identity clerk --yes',
    `create config 'wiki address' --config-type intercept.v1 --data '{"protocols":["tcp"],"addresses":["wiki.hall"],"portRanges":[{"low":443,"high":443}]}'`,
  ],
  update: [`create auth-policy strict -f - <<< '${JSON.stringify(anyLogin)}'`],
  delete: ["create svc 'test one'"],
  publish: [
    'create identity clerk --roles staff',
    'create identity visitor',
    'create identity feeder',
    "create identity 'printer host' --roles hosts",
  ],
  explain: ['publish printer.hall:9100 --name printer-9100 --to staff --host-on hosts --yes'],
  enroll: ['create identity guest'],
  verify: [
    `create ca partner --cert-pem '${authority.pem}' --identity-roles partners ` +
      '--is-auth-enabled --is-auto-ca-enrollment-enabled --is-ott-ca-enrollment-enabled',
  ],
};

/** Examples that another test types, as they need what is not here. */
const elsewhere: ReadonlySet<string> = new Set([
  // oidc-login.test.ts: a browser.
  'login ctrl.example.com:1280 --oidc',
]);

/** Exit codes besides 0. */
const codes: Readonly<Record<string, number>> = {
  "can 'printer host' bind printer": 3,
  'can clerk dial printer': 3,
};

const seat: Seat = { directory, answers: [adminPassword] };

for (const verb of networkVerbs) {
  t.test(verb, async (t) => {
    for (const line of before[verb] ?? []) {
      const said = await typed(line);
      t.equal(said.code, 0, line, { said });
    }
    for (const example of verbRows[verb].examples) {
      if (elsewhere.has(example)) continue;
      const said = await typed(example);
      t.equal(said.code, codes[example] ?? 0, example, { said });
    }
  });
}

/** Types an example; those that go on are interrupted. */
async function typed(example: string) {
  const [line = '', input] = example.split(' <<< ');
  const isAtHost = line.includes('ctrl.example.com:1280');
  const words = wordsOf(line.replace('ctrl.example.com:1280', `${address} --ca '${caFile}'`));
  const given = input === undefined ? [adminPassword] : wordsOf(input);
  const how = { ...seat, answers: isAtHost ? [adminPassword] : given, input: given.join(' ') };
  const goesOn = words[0] === 'watch' || (words[0] === 'top' && words.length === 1);
  if (!goesOn) return await person.types(words, how);
  const { context, ended } = person.begins(words, how);
  // Where nothing changes, nothing is said; another command gives it time to begin.
  await person.types(['whoami']);
  context.signal();
  const said = await ended;
  // 130: the signal has ended it.
  return { ...said, code: said.code === 130 ? 0 : said.code };
}
