// The commands, their output and their exit codes, with a fake controller.

import { join } from 'node:path';
import { t } from 'tap';
import { nodeDisk } from '../../snapshots/home/disk.ts';
import type {
  ControllerModule,
  FirstStart,
  ProcessContext,
  RunningController,
} from '../../src/assembly/process-context.ts';
import { NodeEnded } from '../../src/cluster/node/node-ended.ts';
import { runCommandLine } from '../../src/commands/command-line.ts';
import { StartProblem } from '../../src/errors/errors.ts';
import { createLog, type LogLevel } from '../../src/observe/logs.ts';
import { systemClock, systemRandom } from '../../src/platform/clock-and-random.ts';
import { readFileBytes } from '../../src/platform/text-file.ts';
import { version } from '../../src/platform/version.ts';
import { noScreen } from '../simulated/no-screen.ts';

/** A process that only remembers. */
class FakeContext implements ProcessContext {
  readonly screen: ProcessContext['screen'] = noScreen();
  readonly environment: ProcessContext['environment'];
  readonly directory = '/work';
  readonly cores = 2;
  clock: ProcessContext['clock'] = systemClock;
  readonly random = systemRandom;
  readonly disk = nodeDisk;
  readonly readBytes = readFileBytes;
  readonly secrets = new Map<string, string>();
  secretInput: ProcessContext['secretInput'] = { isTerminal: false, ask: async () => '' };
  readonly answerInput: ProcessContext['answerInput'] = this.secretInput;
  readonly terminal: boolean;
  readonly outIsTerminal = false;
  readonly module: Partial<ControllerModule>;
  stdout = '';
  stderr = '';
  log = '';
  level: LogLevel | undefined;
  aborted: number | undefined;
  signal: () => void = () => undefined;
  hangUp: (() => void) | undefined;
  userSignal: () => void = () => undefined;

  constructor(
    module: Partial<ControllerModule> = {},
    terminal = false,
    environment: ProcessContext['environment'] = {},
  ) {
    this.module = module;
    this.terminal = terminal;
    this.environment = environment;
  }

  readonly readFile = (path: string): string => {
    throw Object.assign(new Error(`ENOENT: ${path}`), { code: 'ENOENT' });
  };
  readonly openLog: ProcessContext['openLog'] = (level) => {
    this.level = level;
    const write = (line: string) => {
      this.log += line;
    };
    return createLog({ level, clock: systemClock, readable: false, write });
  };
  readonly loadController = async (): Promise<ControllerModule> => ({
    startController: this.module.startController ?? (async () => controller({})),
    initHome: this.module.initHome ?? (async () => ({})),
    resetAdministratorOf:
      this.module.resetAdministratorOf ?? (async () => ({ refused: 'It cannot be.' })),
  });
  writeSecret(path: string, text: string): void {
    this.secrets.set(path, text);
  }
  overwrite(text: string): void {
    this.stderr += `\r${text}`;
  }
  out(text: string): void {
    this.stdout += text;
    if (text.startsWith('ready')) this.onReady();
  }
  err(text: string): void {
    this.stderr += text;
  }
  outColumns(): number | undefined {
    return undefined;
  }
  async drained(): Promise<void> {}
  outIsClosed(): boolean {
    return false;
  }
  async sleep(): Promise<void> {}
  onSignal(handler: () => void): void {
    this.signal = handler;
  }
  onHangUp(handler: () => void): void {
    this.hangUp = handler;
  }
  onUserSignal(handler: () => void): void {
    this.userSignal = handler;
  }
  terminate(): void {}
  abort(exitCode: number): void {
    this.aborted = exitCode;
  }
  /** What happens once it serves. */
  onReady: () => void = () => this.signal();
}

function controller(parts: Partial<RunningController>): RunningController {
  return {
    url: 'https://localhost:1280',
    caFile: '/work/data/pki/ca.pem',
    failed: new Promise(() => undefined),
    reopenCertificate: async () => undefined,
    takeSnapshot: async () => undefined,
    stop: async () => undefined,
    ...parts,
  };
}

const starting = (parts: Partial<RunningController>): Partial<ControllerModule> => ({
  startController: async () => controller(parts),
});

const firstStart: FirstStart = { adminUser: 'admin', adminPassword: "it's-made-up" };

t.test('version', async (t) => {
  const context = new FakeContext();
  t.equal(await runCommandLine(['version'], context), 0);
  t.equal(context.stdout, `edge-control ${version}\n`);
  for (const flag of ['--version', '-V']) {
    const flagged = new FakeContext();
    t.equal(await runCommandLine([flag], flagged), 0);
    t.equal(flagged.stdout, context.stdout);
  }
});

t.test('a fault after which memory and log differ is logged and ends the process', async (t) => {
  const context = new FakeContext({
    startController: async (_, { fatal }) => {
      t.throws(() => fatal(new Error('a follower failed')), /a follower failed/);
      return controller({});
    },
  });
  await runCommandLine(['run'], context);
  t.equal(context.aborted, 1);
  t.match(context.log, /"level":"fatal".*a follower failed/);
});

t.test('help names every command, flag, variable and exit code', async (t) => {
  const context = new FakeContext();
  t.equal(await runCommandLine(['run', '--help'], context), 0);
  for (const part of ['--home', '--direct-listen', 'EDGE_TLS_WORKERS', 'default: disk', '- 2: ']) {
    t.ok(context.stdout.includes(part), part);
  }
  t.equal(await runCommandLine(['--help'], context), 0);
  t.equal(context.stderr, '');
});

t.test('log and check say what they take', async (t) => {
  const help = async (command: string): Promise<string> => {
    const context = new FakeContext();
    t.equal(await runCommandLine([command, '--help'], context), 0);
    return context.stdout;
  };
  const log = await help('log');
  for (const part of [
    '--home',
    'EDGE_HOME',
    '--follow',
    '--from-lsn',
    '--to-lsn',
    '--id',
    '--kind',
  ]) {
    t.ok(log.includes(part), part);
  }
  const check = await help('check');
  t.ok(check.includes('--home') && check.includes('something is wrong with the home'));
  t.notOk(check.includes('--follow'));
  const cases: readonly (readonly [readonly string[], RegExp])[] = [
    [['log', '--form-lsn', '3'], /^edge-control: unknown option '--form-lsn' .*--from-lsn.*\n$/],
    [['log', '--to-lsn', 'end'], /^edge-control: --to-lsn is "end" but must be an integer .*\n$/],
    [['check', 'home'], /^edge-control: too many arguments.*\n$/],
    [['check', '--home', '/nowhere'], /^edge-control: \/nowhere is not there\.\n$/],
    [['log', '--home', '/nowhere'], /^edge-control: \/nowhere is no home: there is neither.*\n$/],
  ];
  for (const [words, expected] of cases) {
    const context = new FakeContext();
    t.equal(await runCommandLine(words, context), 2, words.join(' '));
    t.match(context.stderr, expected);
    t.equal(context.stdout, '');
  }
});

t.test('wrong words end with 2 and one line', async (t) => {
  const cases: readonly (readonly [readonly string[], RegExp])[] = [
    [['run', '--lisen', 'x'], /^edge-control: unknown option '--lisen' .*--listen.*\n$/],
    [['walk'], /^edge-control: unknown command 'walk'.*\n$/],
    [['run', 'fast'], /^edge-control: too many arguments.*\n$/],
    [['run', '--home'], /^edge-control: option '--home <directory>' argument missing.*\n$/],
    [['run', '--listen', 'x'], /^edge-control: --listen is "x" but must be HOST:PORT.*\n$/],
    [['init', '--config', 'gone'], /^edge-control: The configuration file cannot be read.*\n$/],
  ];
  for (const [words, expected] of cases) {
    const context = new FakeContext();
    t.equal(await runCommandLine(words, context), 2, words.join(' '));
    t.match(context.stderr, expected);
    t.equal(context.stdout, '');
  }
  const context = new FakeContext();
  t.equal(await runCommandLine([], context), 2);
  t.match(context.stderr, /^Usage:/);
});

t.test('run: ready, signal, clean stop', async (t) => {
  let stops = 0;
  const context = new FakeContext(
    starting({
      stop: async () => {
        stops += 1;
      },
    }),
  );
  t.equal(await runCommandLine(['run'], context), 0);
  t.equal(context.stdout, 'ready https://localhost:1280\n');
  t.equal(stops, 1);
  t.equal(context.stderr, '');
  const told = context.log.split('\n').flatMap((line) => /"message":"(.*)"/.exec(line)?.[1] ?? []);
  t.same(told, ['the home is served', 'stopping', 'stopped']);
});

t.test('run: a later start tells a terminal in one line where things are', async (t) => {
  const context = new FakeContext(starting({}), true);
  t.equal(await runCommandLine(['run'], context), 0);
  t.equal(
    context.stderr,
    '\n  API https://localhost:1280   inspector https://localhost:1280/inspect   home /work/data\n\n',
  );
});

t.test('run: SIGHUP reloads the certificate, but not that of a terminal', async (t) => {
  let looks = 0;
  const reopenCertificate = async () => {
    looks += 1;
  };
  for (const terminal of [false, true]) {
    const context = new FakeContext(starting({ reopenCertificate }), terminal);
    context.onReady = () => {
      t.equal(context.hangUp === undefined, terminal);
      context.hangUp?.();
      context.signal();
    };
    t.equal(await runCommandLine(['run'], context), 0);
  }
  t.equal(looks, 1);
});

t.test('run: the configuration reaches the controller', async (t) => {
  const context = new FakeContext({
    startController: async (config, system) => {
      t.equal(config.listen.port, 0);
      t.equal(config.home, '/work/h');
      t.equal(system.clock, systemClock);
      return controller({});
    },
  });
  t.equal(await runCommandLine(['run', '--listen', 'localhost:0', '--home=h'], context), 0);
});

t.test('run: the log level is a flag and a variable', async (t) => {
  const levelOf = async (words: readonly string[], environment = {}) => {
    const context = new FakeContext({}, false, environment);
    t.equal(await runCommandLine(['run', ...words], context), 0, words.join(' '));
    return context.level;
  };
  t.equal(await levelOf([]), 'info');
  t.equal(await levelOf(['--log-level', 'warn']), 'warn');
  t.equal(await levelOf([], { EDGE_LOG_LEVEL: 'debug' }), 'debug');
  t.equal(await levelOf(['--log-level=error'], { EDGE_LOG_LEVEL: 'debug' }), 'error');
  const loud = new FakeContext({}, false, { EDGE_LOG_LEVEL: 'loud' });
  t.equal(await runCommandLine(['run'], loud), 2);
  t.match(loud.stderr, /EDGE_LOG_LEVEL is "loud" but must be one of debug, info, warn, error\.\n$/);
});

t.test('run: a signal during the start stops it when it is up', async (t) => {
  const context: FakeContext = new FakeContext({
    startController: async () => {
      context.signal();
      return controller({});
    },
  });
  context.onReady = () => undefined;
  t.equal(await runCommandLine(['run'], context), 0);
});

t.test('run: a second signal ends it at once', async (t) => {
  let nowMs = 1000;
  const context: FakeContext = new FakeContext(
    starting({
      stop: async () => {
        nowMs += 500;
        context.signal();
        t.equal(context.aborted, undefined, 'the same Ctrl-C, which npm passed on');
        nowMs += 1;
        context.signal();
      },
    }),
  );
  context.clock = { ...systemClock, monotonic: () => nowMs };
  await runCommandLine(['run'], context);
  t.equal(context.aborted, 1);
});

t.test('run: what cannot start ends with 2 and a sentence', async (t) => {
  const refuse = (problem: Error) =>
    new FakeContext({
      startController: async () => {
        throw problem;
      },
    });
  const locked = refuse(new StartProblem('The home /h is in use by process 12.'));
  t.equal(await runCommandLine(['run'], locked), 2);
  t.equal(locked.stderr, 'edge-control: The home /h is in use by process 12.\n');
  const broken = refuse(new TypeError('a mistake of ours'));
  t.equal(await runCommandLine(['run'], broken), 2);
  t.match(broken.stderr, /a mistake of ours\n {4}at /, 'our own mistakes show where');
});

t.test('run: SIGUSR2 takes a snapshot', async (t) => {
  let taken = 0;
  const context = new FakeContext(
    starting({
      async takeSnapshot() {
        taken += 1;
      },
    }),
  );
  context.onReady = () => {
    context.userSignal();
    context.userSignal();
    context.signal();
  };
  t.equal(await runCommandLine(['run'], context), 0);
  t.equal(taken, 2);
});

t.test('run: a node that is to be started again ends with 3', async (t) => {
  const ended = new FakeContext(starting({ failed: Promise.resolve(new NodeEnded('Fenced.')) }));
  ended.onReady = () => undefined;
  t.equal(await runCommandLine(['run'], ended), 3);
  t.match(ended.log, /"level":"warn".*Fenced/);
});

t.test('run: failures while running and stopping end with 1', async (t) => {
  const failing = new FakeContext(starting({ failed: Promise.resolve(new Error('disk gone')) }));
  failing.onReady = () => undefined;
  t.equal(await runCommandLine(['run'], failing), 1);
  t.match(failing.log, /"level":"fatal".*disk gone/);
  const stuck = new FakeContext(
    starting({
      stop: async () => {
        throw new Error('no snapshot');
      },
    }),
  );
  t.equal(await runCommandLine(['run'], stuck), 1);
  t.match(stuck.log, /no snapshot/);
});

t.test('first start: a made-up password is kept in the home and shown nowhere', async (t) => {
  const module = starting({ firstStart });
  const watched = new FakeContext(module, true);
  t.equal(await runCommandLine(['run'], watched), 0);
  t.equal(watched.secrets.get('/work/data/admin-password'), "it's-made-up\n");
  for (const line of [
    'API             https://localhost:1280',
    'inspector       https://localhost:1280/inspect',
    'CA file         /work/data/pki/ca.pem',
    'administrator   admin',
    'password        in /work/data/admin-password',
    `documentation   ${join(import.meta.dirname, '../../README.md')}`,
    `Try: printf '{"username":"admin","password":"%s"}' "$(cat /work/data/admin-password)" | curl --cacert /work/data/pki/ca.pem -H 'content-type: application/json' -d @- 'https://localhost:1280/edge/management/v1/authenticate?method=password'`,
  ]) {
    t.ok(watched.stderr.includes(`  ${line}\n`), line);
  }
  t.notMatch(watched.stderr + watched.stdout + watched.log, /made-up/);
  const unwatched = new FakeContext(module);
  t.equal(await runCommandLine(['run'], unwatched), 0);
  t.equal(unwatched.secrets.size, 1);
  t.notMatch(unwatched.stderr + unwatched.stdout + unwatched.log, /made-up/);
  t.match(unwatched.log, /"kept":"\/work\/data\/admin-password"/);
});

t.test('first start: a given password is neither kept nor shown', async (t) => {
  const context = new FakeContext(starting({ firstStart }), true);
  const words = ['run', '--admin-password', firstStart.adminPassword];
  t.equal(await runCommandLine(words, context), 0);
  t.equal(context.secrets.size, 0);
  t.notMatch(context.stderr, /made-up/);
});

t.test('first start: a password that cannot be kept stops it', async (t) => {
  let stopped = false;
  const stop = async () => {
    stopped = true;
  };
  const context = new FakeContext(starting({ firstStart, stop }));
  context.writeSecret = () => {
    throw new Error('ENOSPC');
  };
  t.equal(await runCommandLine(['run'], context), 2);
  t.match(context.stderr, /password cannot be kept, remove \/work\/data and start again/);
  t.ok(stopped);
  t.equal(context.stdout, '');
});

t.test('init', async (t) => {
  const fresh = new FakeContext({ initHome: async () => ({ firstStart }) });
  t.equal(await runCommandLine(['init'], fresh), 0);
  t.equal(
    fresh.stdout,
    'initialised /work/data, administrator admin, password in /work/data/admin-password\n',
  );
  const again = new FakeContext();
  t.equal(await runCommandLine(['init'], again), 0);
  t.equal(again.stdout, '/work/data was initialised before\n');
});
