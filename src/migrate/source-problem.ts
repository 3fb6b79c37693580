// Why a source cannot be taken over, as errors whose messages are sentences for an operator.

/** The database is damaged, or is no database: exit code 1. */
export class SourceDamaged extends Error {
  override readonly name = 'SourceDamaged';
}

/** The files or flags do not do: exit code 2. */
export class SourceRefused extends Error {
  override readonly name = 'SourceRefused';
}
