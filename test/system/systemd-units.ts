// Units of examples as systemd's own tool evaluates them.

import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Units above this are not hardened (tenths of what `systemd-analyze security` prints). */
const exposureMax = 20;

/**
 * Holds a unit against systemd's rules and against `exposureMax`.
 *
 * @param directory where it is put for that, under `name`
 * @returns what is wrong with it, empty for nothing
 * @throws Error with what systemd said when its exposure is too high
 */
export function evaluateUnit(directory: string, name: string, text: string): string {
  const unit = join(directory, name);
  // The program is not installed here, and the path of this checkout may hold spaces.
  writeFileSync(unit, text.replace(/^ExecStart=\S+/m, 'ExecStart=/bin/sh'));
  analyze('security', '--offline=true', `--threshold=${exposureMax}`, unit);
  return analyze('verify', unit);
}

/** Why units cannot be checked here; false when they can. */
export function withoutSystemd(): string | false {
  try {
    const version = /^systemd (\d+)/.exec(analyze('--version'))?.[1];
    return Number(version) >= 250 ? false : `systemd ${version} checks no units offline`;
  } catch {
    return 'there is no systemd-analyze here';
  }
}

/** What systemd-analyze says. @throws when it finds something */
function analyze(...words: readonly string[]): string {
  return execFileSync('systemd-analyze', words, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}
