// Whether a body is one that an operation describes. Controllers take some others too, which tests
// hold them to and which are no examples.

import { Ajv2020 } from 'ajv/dist/2020.js';
import type { OpenApi, Operation } from './openapi.ts';

/** Whether the JSON text `body`, empty for none, fits what the document says of an operation. */
export type BodyCheck = (operation: Operation, body: string) => boolean;

/** The check for the operations of a document. */
export function bodyCheckOf({ components }: OpenApi): BodyCheck {
  // The formats are our own, and the requests of the tests that succeed keep them.
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema({ $id: 'api', components });
  return ({ requestBody }, body) => {
    if (requestBody === undefined) return body === '';
    if (body === '') return !requestBody.required;
    const schema = requestBody.content['application/json']?.schema;
    if (schema === undefined) return false;
    const within = JSON.stringify(schema).replaceAll('"#/', '"api#/');
    return ajv.validate(JSON.parse(within) as object, JSON.parse(body));
  };
}
