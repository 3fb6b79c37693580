// Which test files share a process with others, and which need one of their own. `.ci/tidy.ts`
// holds the shared ones to what that takes (`.ci/tidy/shared-tests.ts`).

/** Folders of `test/` whose files each get a process of their own, with the reason. */
export const alone: Readonly<Record<string, string>> = {
  bench: 'measure CPU time, garbage collection and waits of their own process',
  ci: 'compile and build the whole project, and run this runner',
  crash: 'work for so long that sharing saves nothing, and let failures end the process',
  http: 'close descriptors, and may close one that belongs to another file by then',
  system: 'start, stop and kill controllers, and need the time of one core for them',
};

/** Whether the test file at `path`, below the root of the project, shares a process with others. */
export function isShared(path: string): boolean {
  const [top, folder = ''] = path.split('/');
  return top === 'test' && !Object.hasOwn(alone, folder);
}
