// The screen of a process that has no terminal.

import { Screen } from '../../src/platform/screen.ts';

/** Shows nothing and gets no keys. */
export function noScreen(): Screen {
  const nothing = () => undefined;
  const input = {
    setRawMode: nothing,
    setEncoding: nothing,
    on: nothing,
    off: nothing,
    resume: nothing,
    pause: nothing,
  };
  return new Screen({
    write: nothing,
    open: () => input,
    rows: nothing,
    canReplace: false,
  });
}
