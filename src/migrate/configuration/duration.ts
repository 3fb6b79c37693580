// Durations as the peer's configuration has them: `30m`, `1h30m`, `1.5h`.

/** One part of a duration: a number with its unit. */
const part = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g;
const whole = /^\+?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h)){1,16}$/;

const unitMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/** A duration in ms; undefined for a text that is none, and for a negative one. */
export function durationMs(text: string): number | undefined {
  if (text === '0') return 0;
  if (!whole.test(text)) return undefined;
  let sum = 0;
  for (const [, amount = '', unit = ''] of text.matchAll(part)) {
    sum += Number(amount) * (unitMs[unit] ?? 0);
  }
  return sum;
}
