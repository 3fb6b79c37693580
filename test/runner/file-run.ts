// How one run of a test file went, read from what its process has said.

/** One run of a test file. */
export interface FileRun {
  /** Assertions that passed. */
  readonly passed: number;
  /** Assertions that failed; at least 1 for a file that ends in any other way than by its plan. */
  readonly failed: number;
  readonly isWell: boolean;
  readonly durationMs: number;
  /** All that was written to the standard output and to the standard error. */
  readonly output: string;
  /** How it ended: an exit code, a signal, or a sentence. */
  readonly end: string;
}

/** Of the output of a file that fails, what follows each failure and at most. */
const shown = { linesAfter: 40, linesMax: 600, linesAtEnd: 60 } as const;

/** Reads the counts of a file that ran since `startedAtMs` of the monotonic clock. */
export function readRun(
  output: string,
  { isOk, end, startedAtMs }: { isOk: boolean; end: string; startedAtMs: number },
): FileRun {
  // The last comment of a test file: `# { total: 120, pass: 119, fail: 1 }`.
  const counts = /^# \{ total: .*\}$/m.exec(output)?.[0] ?? '';
  const countOf = (name: string) => Number(new RegExp(`${name}: (\\d+)`).exec(counts)?.[1] ?? 0);
  const failed = countOf('fail');
  // A file without an assertion is a mistake.
  const isWell = isOk && countOf('total') > 0;
  return {
    passed: countOf('pass'),
    // A file that ends before its plan shows in its exit code only.
    failed: isWell ? 0 : Math.max(1, failed),
    isWell,
    durationMs: performance.now() - startedAtMs,
    output,
    end,
  };
}

/** The lines that the runner prints about a run; the first one ends with `remark`. */
export function reportOf(file: string, run: FileRun, remark = ''): string[] {
  const seconds = (run.durationMs / 1000).toFixed(1);
  const head = `${run.isWell ? 'ok' : 'not ok'} - ${file} # ${run.passed} passed, ${seconds} s`;
  const below = run.isWell ? [] : [`ended with ${run.end}`, ...failuresIn(run.output)];
  return [`${head}${remark}`, ...[...commentsIn(run.output), ...below].map((line) => `  ${line}`)];
}

/** What tests themselves remarked, such as the seed of a campaign. */
function commentsIn(output: string): string[] {
  return output
    .split('\n')
    .filter((line) => /^ *# (?!Subtest|time=|\{ total)/.test(line))
    .map((line) => line.trim());
}

function failuresIn(output: string): string[] {
  const lines = output.split('\n');
  const isShown = new Set<number>();
  for (const [at, line] of lines.entries()) {
    if (!/^ *not ok /.test(line)) continue;
    for (let next = at; next <= at + shown.linesAfter; next++) isShown.add(next);
  }
  if (isShown.size === 0) return lines.slice(-shown.linesAtEnd);
  return lines.filter((_, at) => isShown.has(at)).slice(0, shown.linesMax);
}
