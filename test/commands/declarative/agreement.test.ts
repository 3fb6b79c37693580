// How `apply` asks before it changes anything, and what is left when it is interrupted.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Test, t } from 'tap';
import { nodeDisk } from '../../../snapshots/home/disk.ts';
import type { ProcessContext } from '../../../src/assembly/process-context.ts';
import { runCommandLine } from '../../../src/commands/command-line.ts';
import { type Api, connect, logIn } from '../../system/client.ts';
import {
  adminPassword,
  controller,
  makeHome,
  roomOf,
  type Serving,
  serve,
} from '../../system/process.ts';
import { LookingContext } from '../offline/looking.ts';

/** A user at a terminal, who answers the question with what `answer` says then. */
class AnsweringContext extends LookingContext {
  override readonly answerInput: ProcessContext['answerInput'];
  override readonly readFile = (path: string): string => readFileSync(path, 'utf8');
  #interrupted: () => void = () => undefined;
  /** Whether the command is interrupted as soon as it can be. */
  isHasty = false;
  /** Resolves the waits of the command; at once without it. */
  pause: Promise<void> | undefined;
  /** Called with all that standard error has shown so far. */
  onErr: (stderr: string) => void = () => undefined;

  constructor(answer: (context: AnsweringContext) => string | Promise<string>) {
    super(nodeDisk, { environment: { EDGE_ADMIN_PASSWORD: adminPassword }, terminal: true });
    this.answerInput = {
      isTerminal: true,
      ask: async (question) => {
        this.err(question);
        return await answer(this);
      },
    };
  }

  override async sleep(): Promise<void> {
    await (this.pause ?? super.sleep());
  }

  override onSignal(handler: () => void): void {
    this.#interrupted = handler;
    if (this.isHasty) handler();
  }

  override err(text: string): void {
    super.err(text);
    this.onErr(this.stderr);
  }

  override overwrite(text: string): void {
    super.overwrite(text);
    this.onErr(this.stderr);
  }

  interrupt(): void {
    this.#interrupted();
  }
}

interface Stage {
  readonly serving: Serving;
  readonly admin: Api;
  /** A file with some services. */
  readonly file: string;
}

async function stage(t: Test, count: number): Promise<Stage> {
  const serving = await serve(t, makeHome(t));
  const file = join(roomOf(t), 'network.yaml');
  const entries = Array.from({ length: count }, (_, index) => `  - { name: s${index} }\n`);
  writeFileSync(file, `services:\n${entries.join('')}identities:\n  - { name: alice }\n`);
  return { serving, admin: await logIn(connect(t, serving)), file };
}

async function apply(context: AnsweringContext, { serving, file }: Stage, ...words: string[]) {
  return await runCommandLine(['apply', file, '--home', serving.home, ...words], context);
}

/** Why there is no terminal to be had; false when there is. */
function withoutTerminal(): string | false {
  const { status } = spawnSync('script', ['--version']);
  return status === 0 ? false : 'there is no script(1) here';
}

const policy = {
  cert: { allowed: true, allowExpiredCerts: false },
  updb: {
    allowed: true,
    minPasswordLength: 5,
    requireSpecialChar: false,
    requireNumberChar: false,
    requireMixedCase: false,
    maxAttempts: 0,
    lockoutDurationMinutes: 0,
  },
  extJwt: { allowed: true, allowedSigners: [] },
};

const question = 'Make these changes? Type y or yes: ';

const summary =
  /^services: 2 to create\nidentities: 1 to create\n3 to create, 0 to update, 0 to delete, /m;

t.test('a refusal changes nothing and ends with 1, and y is a yes', async (t) => {
  const made = await stage(t, 2);
  const count = async () => (await made.admin.all('services')).length;
  for (const answer of ['', 'n', 'no', 'yea', 'yes please']) {
    const context = new AnsweringContext(() => answer);
    t.equal(await apply(context, made), 1, answer);
    t.match(context.stdout, summary);
    t.match(
      context.stderr,
      /Make these changes\? Type y or yes: .*edge-control: Nothing was changed\.\n$/s,
    );
    t.equal(await count(), 0);
  }
  const gone = new AnsweringContext(() => Promise.reject(new Error('nothing was typed')));
  t.equal(await apply(gone, made), 1);
  const interrupted = new AnsweringContext((context) => {
    context.interrupt();
    return new Promise(() => undefined);
  });
  t.equal(await apply(interrupted, made), 1);
  t.match(interrupted.stderr, /\nedge-control: Nothing was changed\.\n$/);
  t.equal(await count(), 0);
  const agreed = new AnsweringContext(() => ' Y ');
  t.equal(await apply(agreed, made), 0);
  t.match(agreed.stdout, /done: 3 changes\n$/);
  t.equal(await count(), 2);
  t.equal((await made.serving.process.stop()).code, 0);
});

t.test('after an interruption the same command goes on', async (t) => {
  const made = await stage(t, 100);
  const context = new AnsweringContext(() => 'yes');
  context.onErr = (stderr) => {
    if (/\d of 101 done/.test(stderr)) context.interrupt();
  };
  t.equal(await apply(context, made), 1);
  t.match(context.stderr, /are under way are finished first; interrupt again to end at once\.\n/);
  const [, told] =
    /interrupted: (\d+) of 101 changes were made, and the same command goes on from there/.exec(
      context.stderr,
    ) ?? [];
  const there = (await made.admin.all('services')).length;
  t.equal(Number(told), there, 'what it says is what is there');
  t.ok(there > 0 && there < 100);
  const again = new AnsweringContext(() => 'yes');
  t.equal(await apply(again, made), 0);
  t.match(again.stdout, `done: ${101 - there} changes\n`);
  t.equal((await made.admin.all('services')).length, 100);
  t.equal((await made.serving.process.stop()).code, 0);
});

t.test('a creation that is done in two steps counts once', async (t) => {
  const made = await stage(t, 0);
  const signer = { issuer: 'i', audience: 'a', claimsProperty: 'sub', useExternalId: false };
  const whole = {
    externalJwtSigners: [
      { name: 's', ...signer, enabled: true, jwksEndpoint: 'https://keys.test/k', kid: 'k' },
    ],
    authPolicies: [{ name: 'p', primary: policy, secondary: { requireTotp: false } }],
  };
  const [jwt] = whole.externalJwtSigners;
  Object.assign(jwt ?? {}, { enrollToTokenEnabled: true, enrollAuthPolicy: 'p' });
  const broken = { configs: [{ name: 'c', configType: 'host.v1', data: { port: 1 } }], ...whole };
  writeFileSync(made.file, JSON.stringify(broken));
  const context = new AnsweringContext(() => 'yes');
  t.equal(await apply(context, made), 1);
  t.match(context.stdout, /^3 to create, /m);
  t.match(context.stderr, / 0 of 3 changes were made/);
  writeFileSync(made.file, JSON.stringify(whole));
  const again = new AnsweringContext(() => 'yes');
  t.equal(await apply(again, made), 0, again.stderr);
  t.match(again.stdout, /^done: 2 changes$/m);
  t.equal((await made.serving.process.stop()).code, 0);
});

t.test('an interruption while the network is read ends the command at once', async (t) => {
  const made = await stage(t, 2);
  const context = new AnsweringContext(() => 'yes');
  context.isHasty = true;
  t.equal(await apply(context, made), 1);
  t.match(context.stderr, /edge-control: Nothing was changed\.\n$/);
  t.equal(context.stdout, '');
  t.equal((await made.serving.process.stop()).code, 0);
});

t.test('where the controller answers meanwhile, it shows nothing more and logs out', async (t) => {
  const made = await stage(t, 2);
  for (const words of [[], ['--yes']]) {
    const context = new AnsweringContext(() => 'yes');
    context.isHasty = true;
    context.pause = new Promise(() => undefined);
    t.equal(await apply(context, made, ...words), 1);
    t.equal(context.stderr, 'edge-control: Nothing was changed.\n');
    t.equal(context.stdout, '');
    t.equal((await made.admin.all('api-sessions')).length, 1, 'that of the test');
    t.equal((await made.admin.all('services')).length, 0);
  }
  t.equal((await made.serving.process.stop()).code, 0);
});

t.test('at a real terminal the answer is seen', { skip: withoutTerminal() }, async (t) => {
  const made = await stage(t, 2);
  const words = ['apply', made.file, '--home', made.serving.home, '--listen', '127.0.0.1:1'];
  const line = [...controller, ...words].map((word) => `'${word}'`).join(' ');
  // script(1) gives the command a terminal of its own, and ends with the code of the command.
  const program = ['script', '--quiet', '--return', '--command', line, '/dev/null'] as const;
  const run = async (answer: string) => {
    const [file, ...args] = program;
    const child = spawn(file, args, {
      env: { ...process.env, EDGE_ADMIN_PASSWORD: adminPassword },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    t.teardown(() => child.kill('SIGKILL'));
    let shown = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      // What is typed earlier is shown by the terminal alone.
      if (!shown.includes(question) && (shown + text).includes(question)) child.stdin.write(answer);
      shown += text;
    });
    const [code] = await once(child, 'close');
    return { code, shown: shown.slice(shown.indexOf(question) + question.length) };
  };
  const refused = await run('nope\n');
  t.equal(refused.code, 1);
  t.equal(refused.shown, 'nope\r\nedge-control: Nothing was changed.\r\n');
  const agreed = await run('y\n');
  t.equal(agreed.code, 0);
  t.match(agreed.shown, /^y\r\n.*done: 3 changes\r\n$/s);
  t.equal((await made.serving.process.stop()).code, 0);
});
