// Stands in for the package `async-hook-domain` in test processes (`loading.mjs`).

/**
 * What tap gives each test to learn of errors that nobody catches. The real one follows every
 * promise of the process with hooks, which takes a tenth of the CPU time of all tests. Without it
 * such an error ends the process, which fails the file.
 */
export class Domain {
  constructor(onerror) {
    // Tap hands errors of its own to it.
    this.onerror = onerror;
  }

  destroy() {}
}
