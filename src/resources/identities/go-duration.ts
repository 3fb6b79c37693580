// Durations in Go's notation, `1h30m` or `1.5s`, as clients send them
// (behaviour/identities#tracing).

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

// The two letters mu are U+00B5 and U+03BC; Go takes both.
const part = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g;
const whole = new RegExp(`^[+-]?(?:${part.source})+$`);

/** Characters of a duration; nobody writes longer ones. @bound per request */
const durationCharactersMax = 100;

/** The duration in ms, fractions included; undefined for a text that is not a duration. */
export function goDurationMs(text: string): number | undefined {
  if (text.length > durationCharactersMax) return undefined;
  // The only number that Go accepts without a unit.
  if (/^[+-]?0$/.test(text)) return 0;
  if (!whole.test(text)) return undefined;
  let ms = 0;
  for (const [, count = '', unit = ''] of text.matchAll(part)) {
    ms += Number(count) * (unitMs[unit] ?? 0);
  }
  return text.startsWith('-') ? -ms : ms;
}
