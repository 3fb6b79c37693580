// What the rules of the grammar are written with.

import type * as Chevrotain from 'chevrotain';
import type { IToken, ParserMethod, TokenType } from 'chevrotain';
import type { FilterError } from './contract.ts';
import { firstLabels, MissedTokens, mistake } from './mistakes.ts';
import { tokenTypes } from './tokens.ts';

/** A rule of the grammar: reads what it stands for. */
export type Rule<R, A extends unknown[] = []> = ParserMethod<A, R>;

interface Alternative<R> {
  readonly ALT: () => R;
}
interface Separated {
  readonly SEP: TokenType;
  readonly DEF: () => void;
}

/**
 * Chevrotain's parser with those of its methods that the rules use. They are called in each rule
 * first when the grammar is recorded, on tokens that are none; a digit at the end tells two uses
 * within one rule apart.
 */
export interface Parser {
  input: IToken[];
  readonly errors: readonly Chevrotain.IRecognitionException[];
  RULE<A extends unknown[], R>(name: string, body: (...parts: A) => R): Rule<R, A>;
  performSelfAnalysis(): void;
  /** The token that is looked at. */
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
  /** Runs what makes no sense while the grammar is recorded. */
  ACTION<R>(body: () => R): R;
}

/** A parser, and what it would have taken where it stopped. */
export class Reading {
  readonly parser: Parser;
  readonly #missed = new MissedTokens();
  #tokens: readonly IToken[] = [];
  #end = 0;

  /**
   * @param skipValidations the grammar is fixed: validating it in a test is enough, and would take
   *   half as long again as building it
   */
  constructor({ EmbeddedActionsParser }: typeof Chevrotain, skipValidations = true) {
    // The methods are there; their types give them to subclasses only, and all rules of a grammar
    // would have to be in one class.
    this.parser = new EmbeddedActionsParser([...tokenTypes], {
      maxLookahead: 1,
      errorMessageProvider: firstLabels,
      skipValidations,
    }) as unknown as Parser;
  }

  /** Gets ready for other tokens; `end` is the length of their text. */
  begin(tokens: IToken[], end: number): void {
    this.parser.input = tokens;
    this.#missed.clear();
    this.#tokens = tokens;
    this.#end = end;
  }

  /** Notes tokens that a rule would take here, unless something was `taken`. */
  miss(types: readonly TokenType[], taken?: unknown): void {
    if (taken === undefined) this.#missed.note(this.parser.LA(1), types);
  }

  /** The error for a token that no rule takes; `labels` say what the failed rule wanted. */
  mistakeAt(token: IToken, labels: readonly string[]): FilterError {
    const before = this.#tokens[this.#tokens.indexOf(token) - 1];
    const expected = [...this.#missed.labels(token), ...labels];
    return mistake(token, before, expected, this.#end);
  }
}
