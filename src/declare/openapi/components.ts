// The components of an OpenAPI document: named schemas, refusals, session headers.

/** A plain JSON object. */
export type Json = Readonly<Record<string, unknown>>;

/** The components of one document, gathered while its operations are described. */
export class Components {
  readonly #schemas = new Map<string, unknown>();

  /**
   * A schema in the form of the document: every schema in it with a `title` becomes a component of
   * that name and is referenced. @throws Error when another schema has the name.
   */
  shared(schema: unknown): unknown {
    if (Array.isArray(schema)) return schema.map((inner) => this.shared(inner));
    if (typeof schema !== 'object' || schema === null) return schema;
    const copy: Record<string, unknown> = {};
    for (const [key, inner] of Object.entries(schema)) {
      copy[key] = valueWords.has(key) ? inner : this.shared(inner);
    }
    const { title, ...rest } = copy;
    return typeof title === 'string' ? this.named(title, rest) : copy;
  }

  /** Adds a schema to the components. @returns the reference to it */
  named(name: string, schema: unknown): Json {
    const known = this.#schemas.get(name);
    if (known === undefined) this.#schemas.set(name, schema);
    else if (JSON.stringify(known) !== JSON.stringify(schema)) {
      throw new Error(`two schemas are named ${name}`);
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  /** The response for an error status; without a status, for those that are not listed. */
  refusal(status?: number): Json {
    const description =
      status === undefined ? 'Any other refusal' : (descriptions[status] ?? 'Refused');
    const schema = this.named('errorEnvelope', errorEnvelope);
    return {
      description,
      ...(status === 401 ? { headers: { 'WWW-Authenticate': challenge } } : {}),
      content: { 'application/json': { schema } },
    };
  }

  /** The `components` of the document, sorted by name. */
  document(): Json {
    const schemas = [...this.#schemas].sort(([a], [b]) => (a < b ? -1 : 1));
    return {
      securitySchemes: {
        ztSession: { type: 'apiKey', in: 'header', name: 'zt-session' },
        netSession: { type: 'apiKey', in: 'header', name: 'net-session' },
      },
      schemas: Object.fromEntries(schemas),
    };
  }
}

/** Keywords whose values are not schemas, even if they look like one. */
const valueWords: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'examples']);

const descriptions: Readonly<Record<number, string>> = {
  400: 'The request is not valid',
  401: 'No session, one that is no longer good, or no right to this',
  403: 'No right to this',
  404: 'There is no such thing',
  409: 'What is there stands against it',
  410: 'Gone for good',
  429: 'Too much at once: try again',
};

const challenge = {
  description: 'Which kind of credentials is missing or no longer good',
  schema: { type: 'string' },
};

const text = { type: 'string' };

/** `meta` of answers that are no lists. */
export const plainMeta = {
  type: 'object',
  required: ['apiEnrollmentVersion', 'apiVersion'],
  properties: { apiEnrollmentVersion: text, apiVersion: text },
};

/** See behaviour/errors#body. */
const errorEnvelope = {
  type: 'object',
  required: ['error', 'meta'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message', 'requestId'],
      properties: {
        code: text,
        message: text,
        requestId: text,
        cause: { type: 'object', additionalProperties: true },
      },
    },
    meta: plainMeta,
  },
};
