// Patterns of users' schemas: matched without backtracking and with a bound on the steps.

import { RE2JS } from 're2js';

/** Bounds of the patterns of one schema. */
export const patternBounds = {
  /**
   * One pattern of a config type: nine characters can mean 1,000 instructions. @bound per request
   */
  patternCharactersMax: 1000,
  /** Instructions of all patterns of a config type, 0.1 s to compile. @bound per request */
  schemaInstructionsMax: 50_000,
  /**
   * Characters times instructions that patterns may take to check one config, at up to 40 ns each.
   * A config of 1 MiB passes patterns of 25 instructions. @bound per request
   */
  patternStepsMax: 25_000_000,
};

/** A compiled pattern. */
export interface LinearPattern {
  /** Whether it matches somewhere in `text`. @throws PatternsCostTooMuch */
  test(text: string): boolean;
  /** The pattern itself, because Ajv treats patterns with the same text as one. */
  toString(): string;
}

/** The patterns of a schema would take too many steps for the value at hand. */
export class PatternsCostTooMuch extends Error {
  constructor(stepsMax: number) {
    super(`the patterns of its schema need more than ${stepsMax} steps for it`);
    this.name = 'PatternsCostTooMuch';
  }
}

/**
 * The patterns of one schema. RE2 takes at most one step per character and instruction; the sum of
 * these products bounds one check.
 */
export class LinearPatterns {
  readonly #bounds: Readonly<typeof patternBounds>;
  readonly #known = new Map<string, LinearPattern>();
  #instructions = 0;
  #steps = 0;

  constructor(bounds: Readonly<typeof patternBounds>) {
    this.#bounds = bounds;
  }

  /** Begins a check with nothing spent. */
  begin(): void {
    this.#steps = 0;
  }

  /**
   * Compiles a pattern of JSON Schema, which is ECMA-262 with the flag `u`.
   * @throws Error saying what of it is wrong, too long, or cannot be matched without backtracking.
   */
  compile(pattern: string): LinearPattern {
    let known = this.#known.get(pattern);
    if (known === undefined) {
      known = this.#counted(pattern, this.#read(pattern));
      this.#known.set(pattern, known);
    }
    return known;
  }

  #read(pattern: string): RE2JS {
    const { patternCharactersMax, schemaInstructionsMax } = this.#bounds;
    if (pattern.length > patternCharactersMax) {
      throw new Error(`a pattern must not have more than ${patternCharactersMax} characters`);
    }
    // Only parsed, never run: RE2 alone would accept patterns that other readers of the schema
    // refuse.
    new RegExp(pattern, 'u');
    if (namedBackReference.test(pattern)) throw new Error('a pattern must not refer back');
    const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern));
    this.#instructions += compiled.programSize();
    if (this.#instructions <= schemaInstructionsMax) return compiled;
    throw new Error(`its patterns need more than ${schemaInstructionsMax} instructions`);
  }

  #counted(pattern: string, compiled: RE2JS): LinearPattern {
    const instructions = compiled.programSize();
    const { patternStepsMax } = this.#bounds;
    return {
      test: (text) => {
        this.#steps += (text.length + 1) * instructions;
        if (this.#steps > patternStepsMax) throw new PatternsCostTooMuch(patternStepsMax);
        return compiled.test(text);
      },
      toString: () => pattern,
    };
  }
}

/** The translation drops its backslash, and what is left is another pattern. */
const namedBackReference = /(?<!\\)(?:\\\\)*\\k</;
