// What the runs outside of tap have in place of a test: endings, and the exit codes of a step of
// `.ci/run`.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cheapHashes, type Serving, serve } from './process.ts';
import { privateKeysIn, secretsIn } from './secrets.ts';

/** What sysexits.h calls a failure of the surroundings: the step counts for nothing. */
const lackingExitCode = 75;

type Teardown = () => unknown;

/** Thrown where this machine lacks what a run takes: a tool, or a package of a registry. */
export class Lacking extends Error {
  override readonly name = 'Lacking';
}

/** Stands in for the test that `process.ts` and `client.ts` are handed. */
export class Endings {
  readonly #all: Teardown[] = [];

  teardown(done: Teardown): void {
    this.#all.unshift(done);
  }

  /** Ends all, the last one first. */
  async run(): Promise<void> {
    for (const done of this.#all) await done();
  }
}

/**
 * Runs `body` as a step of `.ci/run` and ends the process. The exit code is 0 when it answers true,
 * 75 with a message when the machine lacks what it takes, else 1.
 */
export async function runStep(body: (endings: Endings) => Promise<boolean>): Promise<void> {
  const endings = new Endings();
  try {
    process.exitCode = (await body(endings)) ? 0 : 1;
  } catch (thrown) {
    if (!(thrown instanceof Lacking)) throw thrown;
    console.log(`skipped: ${thrown.message}`);
    process.exitCode = lackingExitCode;
  } finally {
    await endings.run();
  }
  // Without this, Node 22.23.3 waits at its own end for the requests of all sockets, and once that
  // took for ever, at full CPU, after a campaign that had cut hundreds of connections.
  process.exit();
}

/** A directory that goes with `endings`. @returns its path */
export function temporaryDirectory(endings: Endings, prefix: string): string {
  const path = mkdtempSync(join(tmpdir(), prefix));
  endings.teardown(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** Serves from an empty directory, in which it writes its configuration. */
export async function serveOnce(
  endings: Endings,
  home: string,
  config: object = {},
): Promise<Serving> {
  const text = JSON.stringify({ argon2: cheapHashes, tlsWorkers: 1, ...config });
  writeFileSync(join(home, 'config.json'), text, { mode: 0o600 });
  return await serve(endings, home);
}

/**
 * Stops a controller and says what is wrong about its end or its log, in which none of `secrets`
 * may stand, nor its private keys. @returns whether all is well
 */
export async function endsWell(serving: Serving, secrets: Iterable<string>): Promise<boolean> {
  const { code, stdout, stderr } = await serving.process.stop();
  const complaints = stderr.split('\n').filter((line) => /"level":"(warn|error|fatal)"/.test(line));
  for (const line of complaints) console.log(line);
  const known = [...secrets, ...privateKeysIn(serving.home)];
  const shown = secretsIn(stdout + stderr, known);
  for (const around of shown) console.log(`a secret stands in the log: ${around}`);
  if (code !== 0) console.log(`the controller ended with ${code}`);
  return code === 0 && complaints.length === 0 && shown.length === 0;
}
