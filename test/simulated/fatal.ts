// The end of a process, as tests see it.

/** Thrown in the place of the end of a process; `cause` is the error that the controller met. */
export class ProcessEnded extends Error {
  override readonly name = 'ProcessEnded';

  constructor(cause: unknown) {
    super('the process would have ended here', { cause });
  }
}

/** As `StoreOptions.fatal`, in a process that goes on. @throws ProcessEnded */
export function endProcess(error: unknown): never {
  throw new ProcessEnded(error);
}
