// The kernel's figures of a process (CPU of all its threads, memory) and of the machine.

import { readdirSync, readFileSync, statSync } from 'node:fs';

/** CPU used between two samples. */
export interface CpuFigures {
  /** All threads of the process, including ended ones, in ms. */
  readonly cpuMs: number;
  /** The main thread alone, in ms. */
  readonly mainThreadMs: number;
}

/** A sample of a process. */
export interface CpuSample {
  /** `utime + stime` of the process in ms: includes ended threads, in steps of 10 ms. */
  readonly tickMs: number;
  /** Time on a CPU in ms by thread id: exact, but without ended threads. */
  readonly threads: ReadonlyMap<string, number>;
}

/** Memory of a process in bytes. */
export interface MemoryFigures {
  readonly residentBytes: number;
  /** The peak of the resident memory. */
  readonly peakBytes: number;
}

// USER_HZ, fixed at 100 on every Linux that Node runs on.
const tickMs = 10;

/** Samples a process. @throws Error if it has ended. */
export function sampleCpu(pid: number): CpuSample {
  const fields = statFields(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  const threads = new Map<string, number>();
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    threads.set(thread, threadMs(pid, thread));
  }
  // Fields 14 and 15 of proc(5); the third is the first one after the name.
  return { tickMs: (Number(fields[11]) + Number(fields[12])) * tickMs, threads };
}

/**
 * CPU between two samples. If all threads lived through the period, it is the sum of the
 * scheduler's nanoseconds. If threads started or ended (Argon2 starts one per lane), it is the
 * kernel's sum for the process, which is exact to 10 ms.
 */
export function cpuBetween(from: CpuSample, to: CpuSample, pid: number): CpuFigures {
  let exactMs = 0;
  for (const [thread, ms] of to.threads) exactMs += ms - (from.threads.get(thread) ?? 0);
  const ticksMs = to.tickMs - from.tickMs;
  const main = String(pid);
  return {
    cpuMs: ticksMs - exactMs > 2 * tickMs ? ticksMs : exactMs,
    mainThreadMs: (to.threads.get(main) ?? 0) - (from.threads.get(main) ?? 0),
  };
}

/** Memory of a process now. */
export function sampleMemory(pid: number): MemoryFigures {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return {
    residentBytes: kibibytes(status, 'VmRSS') * 1024,
    peakBytes: kibibytes(status, 'VmHWM') * 1024,
  };
}

/**
 * Bytes written so far to the block device below `directory`, by any process; undefined if there is
 * none. The `write_bytes` of a process cannot be used, because it counts the whole folio that a
 * written page belongs to.
 */
export function sampleDeviceBytes(directory: string): number | undefined {
  const { dev } = statSync(directory);
  // As gnu_dev_major and gnu_dev_minor of makedev(3), for numbers of up to 32 bits.
  const major = (dev >>> 8) & 0xfff;
  const minor = (dev & 0xff) | ((dev >>> 12) & 0xfff00);
  try {
    const fields = readFileSync(`/sys/dev/block/${major}:${minor}/stat`, 'utf8')
      .trim()
      .split(/\s+/);
    return Number(fields[6]) * 512;
  } catch {
    return undefined;
  }
}

/** CPU that all processes of the machine used since it started, in ms. */
export function sampleMachineMs(): number {
  const fields = readFileSync('/proc/stat', 'utf8').split('\n', 1)[0]?.trim().split(/\s+/) ?? [];
  // user, nice and system, then irq and softirq, which follow idle and iowait. Steal is no work of
  // this machine.
  const busy = [1, 2, 3, 6, 7].map((index) => Number(fields[index] ?? 0));
  return busy.reduce((sum, ticks) => sum + ticks, 0) * tickMs;
}

function threadMs(pid: number, thread: string): number {
  try {
    const text = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8');
    return Number(text.split(' ', 1)[0]) / 1e6;
  } catch {
    // The thread has ended since it was listed.
    return 0;
  }
}

/** The fields behind the process name, which may itself contain blanks and brackets. */
function statFields(stat: string): string[] {
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

function kibibytes(status: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? 0);
}
