// The flags by which `bin/heap-size` sizes the heap, from files that stand for those of the kernel.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { type Test, t } from 'tap';

const program = join(import.meta.dirname, '../../bin/heap-size');
const mebibyte = 1024 * 1024;

type Files = NonNullable<Parameters<Test['testdir']>[0]>;

interface Machine {
  readonly memoryMebibytes: number;
  /** Text of `/proc/self/cgroup`. */
  readonly cgroup?: string;
  /** Below `/sys/fs/cgroup`. */
  readonly limits?: Files;
  readonly options?: string;
}

const cores = 2;

t.test('flags', async (t) => {
  const v2 = '0::/system.slice/edge.service\n';
  const v1 = '9:cpu,cpuacct:/docker/7\n8:memory:/docker/7\n1:name=systemd:/docker/7\n';
  const bytes = (mebibytes: number) => `${mebibytes * mebibyte}\n`;
  const cases: [string, Machine, string][] = [
    [
      'a machine',
      { memoryMebibytes: 24_000 },
      '--max-old-space-size=17720 --max-semi-space-size=16',
    ],
    [
      'a small machine',
      { memoryMebibytes: 512 },
      '--max-old-space-size=204 --max-semi-space-size=4',
    ],
    [
      'a cgroup, version 2, by one above it',
      {
        memoryMebibytes: 24_000,
        cgroup: v2,
        limits: {
          'memory.max': 'max\n',
          'system.slice': {
            'memory.max': bytes(2000),
            'edge.service': { 'memory.max': 'max\n' },
          },
        },
      },
      '--max-old-space-size=1220 --max-semi-space-size=16',
    ],
    [
      'a container, version 2',
      { memoryMebibytes: 24_000, cgroup: '0::/\n', limits: { 'memory.max': bytes(1000) } },
      '--max-old-space-size=470 --max-semi-space-size=8',
    ],
    [
      'a container, version 1, which does not see its own path',
      {
        memoryMebibytes: 24_000,
        cgroup: v1,
        limits: { memory: { 'memory.limit_in_bytes': bytes(1000) } },
      },
      '--max-old-space-size=470 --max-semi-space-size=8',
    ],
    [
      'a cgroup without a limit, version 1',
      {
        memoryMebibytes: 1000,
        cgroup: v1,
        limits: { memory: { 'memory.limit_in_bytes': '9223372036854771712\n' } },
      },
      '--max-old-space-size=470 --max-semi-space-size=8',
    ],
    [
      'a size that the operator chose',
      { memoryMebibytes: 24_000, options: '--trace-gc --max-old-space-size=160' },
      '--max-semi-space-size=4',
    ],
    [
      'both sizes',
      { memoryMebibytes: 1000, options: '--max_old_space_size=160 --max-semi-space-size=2' },
      '',
    ],
  ];
  for (const [what, machine, flags] of cases) t.equal(flagsOn(t, machine), flags, what);
});

t.test('nothing is said where nothing is known', async (t) => {
  const { stdout, status } = spawnSync(program, [t.testdir({}), t.testdirName], {
    encoding: 'utf8',
  });
  t.equal(stdout, '');
  t.equal(status, 0);
});

function flagsOn(t: Test, machine: Machine): string {
  const { memoryMebibytes, cgroup, limits = {}, options } = machine;
  const root = t.testdir({
    proc: {
      meminfo: `MemTotal:       ${memoryMebibytes * 1024} kB\nMemFree: 7 kB\n`,
      self: cgroup === undefined ? {} : { cgroup },
    },
    cgroup: limits,
  });
  const { stdout, stderr, status } = spawnSync(
    program,
    [join(root, 'proc'), join(root, 'cgroup'), String(cores)],
    {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], ...(options && { NODE_OPTIONS: options }) },
    },
  );
  if (status !== 0 || stderr !== '') throw new Error(`${status}: ${stderr}`);
  return stdout.trim();
}
