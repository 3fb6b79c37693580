// The flags of the command `status`, and their meaning.

import { ConfigProblem } from '../../settings/setting-type.ts';

/** Flags besides `--home`, in commander's notation, with their descriptions. */
export const statusFlags: readonly (readonly [flag: string, doc: string])[] = [
  ['--wait <seconds>', 'Wait at most so long until the controller is healthy.'],
  ['-o, --output <form>', 'text, json, or pid for the process alone (default: text).'],
];

const forms = ['text', 'json', 'pid'] as const;

/** The meaning of the flags. */
export interface StatusRequest {
  readonly home: string;
  /** How long to wait for a healthy controller; 0 looks once. */
  readonly waitMs: number;
  readonly form: (typeof forms)[number];
}

/** A day is longer than any start. @bound */
const waitSecondsMax = 86_400;

/** Reads the flags. @throws ConfigProblem */
export function statusRequest(
  home: string,
  { wait = '0', output = 'text' }: Readonly<Record<string, string | true | undefined>>,
): StatusRequest {
  const form = forms.find((one) => one === output);
  if (form === undefined) {
    throw new ConfigProblem(
      `-o is ${JSON.stringify(output)} but must be one of ${forms.join(', ')}.`,
    );
  }
  const seconds = typeof wait === 'string' && wait.trim() !== '' ? Number(wait) : Number.NaN;
  if (!(seconds >= 0 && seconds <= waitSecondsMax)) {
    throw new ConfigProblem(
      `--wait is ${JSON.stringify(wait)} but must be seconds, up to ${waitSecondsMax}.`,
    );
  }
  return { home, waitMs: seconds * 1000, form };
}
