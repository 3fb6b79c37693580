// Expressions of Prometheus, as the grammar of its own editor reads them.

import { parser } from '@prometheus-io/lezer-promql';

/** A metric that an expression names, with its matchers of the form `label="value"`. */
export interface Selector {
  readonly name: string;
  readonly labels: readonly string[];
  /** `label=value`. */
  readonly equal: readonly string[];
}

/** The metrics of an expression. @throws SyntaxError for one that Prometheus would refuse */
export function selectorsOf(expression: string): readonly Selector[] {
  const found: { name: string; labels: string[]; equal: string[] }[] = [];
  let selector = { name: '', labels: [] as string[], equal: [] as string[] };
  parser.parse(expression).iterate({
    enter({ type, from, to }) {
      const text = expression.slice(from, to);
      const { name: kind, isError } = type;
      if (isError) throw new SyntaxError(`at ${from} of ${expression}`);
      if (kind === 'VectorSelector') {
        selector = { name: '', labels: [], equal: [] };
        found.push(selector);
      } else if (kind === 'Identifier') selector.name = text;
      else if (kind === 'UnquotedLabelMatcher') {
        const [, label = '', operator = '', value = ''] = matcherForm.exec(text) ?? [];
        selector.labels.push(label);
        if (operator === '=') selector.equal.push(`${label}=${value}`);
      }
    },
  });
  return found;
}

const matcherForm = /^(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"$/;
