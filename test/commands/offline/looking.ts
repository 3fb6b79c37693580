// Runs the commands `log` and `check` on homes on a simulated disk.

import type { Change } from '../../../snapshots/journal.ts';
import type { ProcessContext } from '../../../src/assembly/process-context.ts';
import { runCommandLine } from '../../../src/commands/command-line.ts';
import { createLog } from '../../../src/observe/logs.ts';
import { systemClock, systemRandom } from '../../../src/platform/clock-and-random.ts';
import type { TreeDisk } from '../../../src/platform/ports.ts';
import { readFileBytes } from '../../../src/platform/text-file.ts';
import { kinds } from '../../../src/resources/index.ts';
import { bootNetwork, type Network, type NetworkOptions } from '../../simulated/network.ts';
import { noScreen } from '../../simulated/no-screen.ts';

/** What a command said and ended with. */
export interface Looked {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Lines of standard output. */
  readonly lines: readonly string[];
}

/** What a test may steer beside the disk. */
export interface LookOptions {
  readonly terminal?: boolean;
  readonly outIsTerminal?: boolean;
  readonly environment?: Readonly<Record<string, string>>;
  /** Called whenever the command waits; the context's signal ends a follower. */
  readonly waiting?: (context: LookingContext) => Promise<void>;
  /** Texts of files that the command reads for itself, by path. */
  readonly files?: Readonly<Record<string, string>>;
  /** After so many lines nobody reads standard output any more. */
  readonly linesRead?: number;
}

/** Runs the command line with these words on a disk whose home is `/home`. */
export async function look(
  disk: TreeDisk,
  words: readonly string[],
  options: LookOptions = {},
): Promise<Looked> {
  const context = new LookingContext(disk, options);
  const code = await runCommandLine([...words, '--home', '/home'], context);
  const { stdout, stderr } = context;
  return { code, stdout, stderr, lines: stdout.split('\n').slice(0, -1) };
}

/** A process that only looks. */
export class LookingContext implements ProcessContext {
  readonly screen: ProcessContext['screen'] = noScreen();
  readonly directory: string = '/';
  readonly cores = 2;
  readonly clock = systemClock;
  readonly random = systemRandom;
  readonly environment: Readonly<Record<string, string>>;
  readonly terminal: boolean;
  readonly outIsTerminal: boolean;
  readonly secretInput: ProcessContext['secretInput'] = { isTerminal: false, ask: async () => '' };
  readonly answerInput: ProcessContext['answerInput'] = this.secretInput;
  readonly disk: TreeDisk;
  readonly readBytes = readFileBytes;
  readonly #options: LookOptions;
  stdout = '';
  stderr = '';
  signal: () => void = () => undefined;

  constructor(disk: TreeDisk, options: LookOptions) {
    this.disk = disk;
    this.#options = options;
    this.terminal = options.terminal ?? false;
    this.outIsTerminal = options.outIsTerminal ?? false;
    this.environment = options.environment ?? {};
  }

  readonly openLog: ProcessContext['openLog'] = (level) =>
    createLog({ level, clock: systemClock, readable: false, write: () => undefined });

  readonly readFile = (path: string): string => {
    const text = this.#options.files?.[path];
    if (text !== undefined) return text;
    throw Object.assign(new Error(`ENOENT: ${path}`), { code: 'ENOENT' });
  };
  writeSecret(): void {}
  terminate(): void {}
  out(text: string): void {
    this.stdout += text;
  }
  err(text: string): void {
    this.stderr += text;
  }
  overwrite(text: string): void {
    this.stderr += `\r${text}\x1b[K`;
  }
  outColumns(): number | undefined {
    return undefined;
  }
  async drained(): Promise<void> {}
  outIsClosed(): boolean {
    return this.stdout.split('\n').length > (this.#options.linesRead ?? Number.POSITIVE_INFINITY);
  }
  async sleep(): Promise<void> {
    await this.#options.waiting?.(this);
  }
  onSignal(handler: () => void): void {
    this.signal = handler;
  }
  onHangUp(): void {}
  onUserSignal(): void {}
  abort(): void {}
  async loadController(): Promise<never> {
    throw new Error('nobody who only looks starts a controller');
  }
}

/** A network with a record of every kind that holds secrets, and some that rest on each other. */
export async function furnishedNetwork(options: NetworkOptions = {}): Promise<Network> {
  const network = await bootNetwork(options);
  const user = await network.createUser('berta', 'bertas-password', { roleAttributes: ['staff'] });
  await network.create('identities', {
    name: 'carl',
    type: 'Default',
    isAdmin: false,
    roleAttributes: ['staff', 'night'],
    enrollment: { ott: true },
  });
  const config = await network.create('configs', {
    name: 'printer config',
    configTypeId: 'cea49285-6c07-42cf-9f52-09a9b115c783',
    data: { hostname: 'host', port: 80 },
  });
  const service = await network.create('services', {
    name: 'printer',
    encryptionRequired: true,
    configs: [config],
    roleAttributes: ['print'],
  });
  const router = await network.create('edge-routers', { name: 'north' });
  await network.create('terminators', {
    service,
    router,
    binding: 'edge',
    address: 'tcp:printer:9100',
    identity: 'printer',
    identitySecret: 'cHJpbnRlci1zZWNyZXQ=',
  });
  await network.create('service-policies', {
    name: 'staff prints',
    semantic: 'AnyOf',
    type: 'Dial',
    identityRoles: ['#staff', `@${user}`],
    serviceRoles: ['#print'],
  });
  const everybody = { semantic: 'AnyOf', edgeRouterRoles: ['#all'] };
  await network.create('edge-router-policies', {
    ...everybody,
    name: 'everybody',
    identityRoles: ['#all'],
  });
  await network.create('service-edge-router-policies', {
    ...everybody,
    name: 'everything',
    serviceRoles: ['#all'],
  });
  const token = await network.login('berta', 'bertas-password');
  await network.must('POST', 'C:/sessions', { serviceId: service, type: 'Dial' }, token);
  await network.must('POST', 'C:/current-identity/mfa', undefined, token);
  await flushed(network);
  return network;
}

/** Waits until everything is durable. */
export async function flushed({ core, clock }: Network): Promise<void> {
  const flushing = core.journal.flush();
  clock.turn();
  await flushing;
}

/** The values of all fields that are declared secret, in every record there is. */
export function secretsOf({ env }: Network): string[] {
  const found: string[] = [];
  for (const { kind, fields } of kinds) {
    for (const { record } of env.store.tableNamed(kind).all()) {
      for (const [name, field] of Object.entries(fields)) {
        const value = (record as unknown as Record<string, unknown>)[name];
        if (field.secret && value !== undefined && value !== '') found.push(String(value));
      }
    }
  }
  return found;
}

/** Appends a frame behind the store's back, with whatever rules it breaks. */
export async function appendRaw(
  network: Network,
  changes: readonly (Omit<Change, 'previousLsn'> & { readonly previousLsn?: number })[],
): Promise<number> {
  const lsn = network.core.journal.append({
    timeMs: network.clock.now(),
    actor: 'controller',
    requestId: '',
    operation: 'spoil',
    causeLsn: 0,
    events: [],
    changes: changes.map((change) => ({ previousLsn: 0, ...change })),
  });
  await flushed(network);
  return lsn;
}
