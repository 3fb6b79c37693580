// docs/generated/errors.md: the error table for the readers of answers.

import { type ErrorCodeRow, errorCodes } from '../../src/errors/error-codes.ts';
import { ApiError, errorBody } from '../../src/errors/errors.ts';
import { code, type GeneratedPage, generatedFrom, markdownTable } from './page.ts';

/** The page of error codes. */
export const errorsPage: GeneratedPage = { file: 'docs/generated/errors.md', make };

function make(): string {
  const rows = Object.entries<ErrorCodeRow>(errorCodes).map(([name, row]) => [
    code(name),
    [row.status, ...(row.also ?? [])].join(', '),
    row.when,
    row.message,
  ]);
  const cause = { field: 'name', reason: 'must not be empty', value: '' };
  const sample = errorBody(new ApiError('COULD_NOT_VALIDATE', { cause }), 'k3Zt9.Qa1x');
  return `${generatedFrom('src/errors/error-codes.ts')}

# Errors

Every error is answered as JSON. Switch on \`code\` and the HTTP status; \`message\` is for people and
may change. \`requestId\` finds the request in the log. \`cause\` is there when more is known: a field
with the reason and the value refused, or an error behind the error.

\`\`\`json
${JSON.stringify(JSON.parse(sample), null, 2)}
\`\`\`

${markdownTable(['code', 'status', 'when', 'message'], rows)}
`;
}
