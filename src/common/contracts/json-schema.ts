import { z } from 'zod';

/** A JSON Schema (draft 2020-12), as OpenAPI 3.1 has them. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export interface ObjectFields {
  readonly properties: Readonly<Record<string, JsonSchema>>;
  readonly required: readonly string[];
}

/** Schemas with an id (`.meta({ id })`), by id; shared by all operations of a document. */
export type NamedSchemas = Map<string, JsonSchema>;

/** @param strict whether objects may have only the keys of their schema */
export function answerSchema(schema: z.ZodType, named: NamedSchemas, strict: boolean): JsonSchema {
  const converted = z.toJSONSchema(schema, {
    io: 'output',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      plain(jsonSchema);
      if (!strict && jsonSchema.additionalProperties === false) {
        // Answers get more fields over time, which clients have to accept.
        delete jsonSchema.additionalProperties;
      }
    },
  });
  return hoisted(converted, named);
}

/** The parameters that a handler reads, in the form that is written first in the schema. */
export function inputFields(schema: z.ZodType): ObjectFields {
  return fieldsOf(inputSchema(schema));
}

export function inputSchema(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...converted } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    reused: 'inline',
    override: ({ zodSchema, jsonSchema }) => {
      plain(jsonSchema);
      if (zodSchema instanceof z.ZodObject && Array.isArray(jsonSchema.required)) {
        // Defaults in a preprocess step are known only by trying.
        const shape = zodSchema.shape as Readonly<Record<string, z.ZodType>>;
        const required = jsonSchema.required.filter((name) => isRequired(shape[name]));
        Object.assign(jsonSchema, { required });
      }
    },
  });
  return converted as JsonSchema;
}

function isRequired(field: z.ZodType | undefined): boolean {
  return field !== undefined && !field.safeParse(undefined).success;
}

/** Removes bounds that every JSON number has. */
function plain(jsonSchema: z.core.JSONSchema.BaseSchema): void {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) {
    delete jsonSchema.minimum;
  }
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) {
    delete jsonSchema.maximum;
  }
}

/** Moves named schemas to `#/components/schemas`. */
function hoisted(converted: object, named: NamedSchemas): JsonSchema {
  const text = JSON.stringify(converted).replaceAll('"#/$defs/', '"#/components/schemas/');
  const { $schema: _, $defs = {}, ...schema } = JSON.parse(text) as Record<string, JsonSchema>;
  for (const [id, one] of Object.entries($defs)) {
    const { id: _id, ...body } = one as Record<string, unknown>;
    named.set(id, body);
  }
  return schema;
}

/** Fields of all alternatives together; optional unless all require them. */
function fieldsOf(schema: JsonSchema): ObjectFields {
  const own = {
    properties: (schema['properties'] ?? {}) as Record<string, JsonSchema>,
    required: (schema['required'] ?? []) as string[],
  };
  const parts = ((schema['allOf'] ?? []) as JsonSchema[]).map(fieldsOf);
  const alternatives = ((schema['anyOf'] ?? []) as JsonSchema[]).map(fieldsOf);
  const [first, ...rest] = alternatives;
  const always = (first?.required ?? []).filter((name) =>
    rest.every(({ required }) => required.includes(name)),
  );
  return {
    properties: Object.assign(
      {},
      ...[...alternatives, ...parts, own].map(({ properties }) => properties),
    ) as ObjectFields['properties'],
    required: [
      ...new Set([...own.required, ...parts.flatMap(({ required }) => required), ...always]),
    ],
  };
}
