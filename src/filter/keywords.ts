// The words of the filter language (behaviour/filters#words), in any case.

/** Words that cannot be names unless they are quoted or part of a longer name. */
export const keywords = [
  ...(['and', 'or', 'not', 'in', 'between', 'contains', 'icontains', 'true', 'false'] as const),
  ...(['null', 'anyOf', 'allOf', 'count', 'isEmpty', 'from', 'where', 'sort', 'by'] as const),
  ...(['asc', 'desc', 'skip', 'limit', 'none'] as const),
] as const;

/** One of these words. */
export type Keyword = (typeof keywords)[number];
