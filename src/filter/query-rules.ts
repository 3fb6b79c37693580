// The part of the grammar that reads whole queries and sort parameters (behaviour/filters#grammar).

import { comparisonRule } from './comparison-rules.ts';
import { conditionRule, firstsOfCondition } from './condition-rules.ts';
import { frozen, type QueryNode, type SortKeyNode } from './nodes.ts';
import type { Reading, Rule } from './rules.ts';
import { signs, words } from './tokens.ts';
import { type ValueRules, valueRules } from './value-rules.ts';

/** The start rules of the grammar. */
export interface QueryRules {
  readonly query: Rule<QueryNode>;
  /** The text after `sort by`. */
  readonly sortKeys: Rule<readonly SortKeyNode[]>;
}

/** Defines the whole grammar. */
export function queryRules(reading: Reading): QueryRules {
  const p = reading.parser;
  const values = valueRules(reading);
  const comparison = comparisonRule(reading, values);
  const condition = conditionRule(reading, { values, comparison, query: () => query });
  const sortKeys = sortKeysRule(reading, values);
  const sortBy = p.RULE('sortBy', () => {
    p.CONSUME(words.sort);
    p.CONSUME(words.by);
    return p.SUBRULE(sortKeys);
  });
  const skip = p.RULE('skip', () => {
    p.CONSUME(words.skip);
    return p.SUBRULE(values.wholeNumber);
  });
  const limit = limitRule(reading, values);
  const query: Rule<QueryNode> = p.RULE('query', () => {
    const { startOffset: position } = p.LA(1);
    const which = p.OPTION(() => p.SUBRULE(condition));
    reading.miss(firstsOfCondition, which);
    const sort = p.OPTION2(() => p.SUBRULE(sortBy));
    reading.miss([words.sort], sort);
    const skipped = p.OPTION3(() => p.SUBRULE(skip));
    reading.miss([words.skip], skipped);
    const most = p.OPTION4(() => p.SUBRULE(limit));
    reading.miss([words.limit], most);
    return p.ACTION(() => {
      if ((which ?? sort ?? skipped ?? most) === undefined) throw reading.mistakeAt(p.LA(1), []);
      const page = { skip: skipped, limit: most };
      return frozen({ kind: 'query', position, condition: which, sort: sort ?? noKeys, ...page });
    });
  });
  p.performSelfAnalysis();
  return { query, sortKeys };
}

const noKeys: readonly SortKeyNode[] = Object.freeze([]);

function sortKeysRule(reading: Reading, { aName }: ValueRules): Rule<readonly SortKeyNode[]> {
  const p = reading.parser;
  const sortKey: Rule<SortKeyNode> = p.RULE('sortKey', () => {
    const { position, name } = p.SUBRULE(aName);
    const direction = p.OPTION(() =>
      p.OR([{ ALT: () => p.CONSUME(words.asc) }, { ALT: () => p.CONSUME(words.desc) }]),
    );
    reading.miss([words.asc, words.desc], direction);
    const isDescending = direction?.tokenType === words.desc;
    return frozen({ kind: 'sortKey', position, name, isDescending });
  });
  return p.RULE('sortKeys', () => {
    const keys: SortKeyNode[] = [];
    p.AT_LEAST_ONE_SEP({ SEP: signs.comma, DEF: () => keys.push(p.SUBRULE(sortKey)) });
    reading.miss([signs.comma]);
    return Object.freeze(keys);
  });
}

function limitRule({ parser: p }: Reading, { wholeNumber }: ValueRules): Rule<number | 'none'> {
  const none = (): 'none' => {
    p.CONSUME(words.none);
    return 'none';
  };
  return p.RULE('limit', () => {
    p.CONSUME(words.limit);
    return p.OR<number | 'none'>([{ ALT: () => p.SUBRULE(wholeNumber) }, { ALT: none }]);
  });
}
