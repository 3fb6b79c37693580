// The tools for writing the rules of the grammar.

import type * as Chevrotain from 'chevrotain';
import type { IToken, ParserMethod, TokenType } from 'chevrotain';
import type { FilterError } from './contract.ts';
import { firstLabels, MissedTokens, mistake } from './mistakes.ts';
import { tokenTypes } from './tokens.ts';

/** A rule of the grammar, which reads its construct. */
export type Rule<R, A extends unknown[] = []> = ParserMethod<A, R>;

interface Alternative<R> {
  readonly ALT: () => R;
}
interface Separated {
  readonly SEP: TokenType;
  readonly DEF: () => void;
}

/**
 * Chevrotain's parser with the methods that the rules use. Each rule first calls them while the
 * grammar is recorded, on placeholder tokens; a digit at the end distinguishes two uses within one
 * rule.
 */
export interface Parser {
  input: IToken[];
  readonly errors: readonly Chevrotain.IRecognitionException[];
  RULE<A extends unknown[], R>(name: string, body: (...parts: A) => R): Rule<R, A>;
  performSelfAnalysis(): void;
  /** The next token. */
  LA(distance: 1): IToken;
  CONSUME(type: TokenType): IToken;
  CONSUME2(type: TokenType): IToken;
  SUBRULE<R, A extends unknown[]>(rule: Rule<R, A>, options?: { ARGS: A }): R;
  SUBRULE2<R>(rule: Rule<R>): R;
  OPTION<R>(body: () => R): R | undefined;
  OPTION2<R>(body: () => R): R | undefined;
  OPTION3<R>(body: () => R): R | undefined;
  OPTION4<R>(body: () => R): R | undefined;
  OR<R>(alternatives: Alternative<R>[]): R;
  OR2<R>(alternatives: Alternative<R>[]): R;
  MANY(body: () => void): void;
  AT_LEAST_ONE_SEP(options: Separated): void;
  AT_LEAST_ONE_SEP2(options: Separated): void;
  AT_LEAST_ONE_SEP3(options: Separated): void;
  /** Runs code that must not run while the grammar is recorded. */
  ACTION<R>(body: () => R): R;
}

/** A parser, and the tokens that it would have accepted where it stopped. */
export class Reading {
  readonly parser: Parser;
  readonly #missed = new MissedTokens();
  #tokens: readonly IToken[] = [];
  #end = 0;

  /**
   * @param skipValidations the grammar is fixed, so validating it in a test is enough; validation
   * would add half of the build time
   */
  constructor({ EmbeddedActionsParser }: typeof Chevrotain, skipValidations = true) {
    // The methods exist, but their types make them visible only to subclasses, and then all rules
    // of a grammar would have to be in one class.
    this.parser = new EmbeddedActionsParser([...tokenTypes], {
      maxLookahead: 1,
      errorMessageProvider: firstLabels,
      skipValidations,
    }) as unknown as Parser;
  }

  /** Resets the parser for other tokens; `end` is the length of their text. */
  begin(tokens: IToken[], end: number): void {
    this.parser.input = tokens;
    this.#missed.clear();
    this.#tokens = tokens;
    this.#end = end;
  }

  /** Notes tokens that a rule would accept here, unless one was `taken`. */
  miss(types: readonly TokenType[], taken?: unknown): void {
    if (taken === undefined) this.#missed.note(this.parser.LA(1), types);
  }

  /**
   * The error for a token that no rule accepts; `labels` are the inputs that the failed rule
   * expected.
   */
  mistakeAt(token: IToken, labels: readonly string[]): FilterError {
    const before = this.#tokens[this.#tokens.indexOf(token) - 1];
    const expected = [...this.#missed.labels(token), ...labels];
    return mistake(token, before, expected, this.#end);
  }
}
