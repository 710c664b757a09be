// PATCH of RFC 7644 section 3.5.2: applies the operations to the JSON of a resource.
import { ScimError, scimPatch, type ScimPatchOperation, type ScimResource } from 'scim-patch';
import { z } from 'zod';
import { InvalidScim } from './scim.errors.js';

const MOST_OPERATIONS = 100;

/** RFC 7644 section 3.5.2. */
export const PatchInput = z.object({
  schemas: z.array(z.string()).max(10),
  Operations: z
    .array(
      z.object({
        op: z.string().regex(/^(?:add|remove|replace)$/i, 'must be add, remove or replace'),
        path: z.string().max(1000).optional(),
        value: z.unknown().optional(),
      }),
    )
    .min(1)
    .max(MOST_OPERATIONS),
});
export type PatchInput = z.output<typeof PatchInput>;

const PATCH_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

/** Names of inherited properties of JavaScript objects. */
const INHERITED = /__proto__|constructor|prototype/;

/** The library's error keywords. */
const TYPES = new Set(['invalidFilter', 'mutability', 'invalidSyntax', 'invalidPath', 'noTarget']);

/**
 * @param names of the attributes, which requests may write in any case
 * @returns the changed resource; the given one stays
 * @throws InvalidScim
 */
export function patched(
  resource: object,
  { schemas, Operations }: PatchInput,
  names: readonly string[],
): unknown {
  if (!schemas.includes(PATCH_SCHEMA)) {
    throw new InvalidScim('invalidSyntax', `The request must have the schema ${PATCH_SCHEMA}.`);
  }
  const operations = Operations.map(({ op, path, value }) => {
    if (INHERITED.test(path ?? '') || INHERITED.test(JSON.stringify(value) ?? '')) {
      throw new InvalidScim('invalidPath', 'There is no attribute of this name.');
    }
    return {
      op: op.toLowerCase(),
      ...(path !== undefined && path !== '' && { path: withNames(path, names) }),
      ...(value !== undefined && { value: withoutReferences(keysWithNames(value, names)) }),
    } as ScimPatchOperation;
  });
  try {
    // A copy of the type that the library wants, with everything that it may change.
    return scimPatch(structuredClone(resource) as unknown as ScimResource, operations);
  } catch (error) {
    throw explained(error);
  }
}

function explained(error: unknown): unknown {
  if (error instanceof ScimError) {
    const { scimCode = '' } = error as { readonly scimCode?: string };
    const type = TYPES.has(scimCode) ? (scimCode as 'noTarget') : 'invalidValue';
    return new InvalidScim(type, error.message);
  }
  // The library follows paths without checking their values.
  return error instanceof TypeError || error instanceof Error
    ? new InvalidScim('invalidPath', 'The operations do not fit the resource.')
    : error;
}

/** `DisplayName` → `displayName`, for the first name of a path. */
function withNames(path: string, names: readonly string[]): string {
  const [, schema = '', first = '', rest = ''] = /^(urn:.*:)?([A-Za-z$]+)(.*)$/s.exec(path) ?? [];
  return first === '' ? path : schema + nameLike(first, names) + rest;
}

function keysWithNames(value: unknown, names: readonly string[]): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return value;
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [nameLike(name, names), part as unknown]),
  );
}

/** Entra sends a `$ref` beside each value of a list; the library compares whole entries. */
function withoutReferences(value: unknown): unknown {
  return Array.isArray(value)
    ? value.map((member: unknown) =>
        isMember(member) && '$ref' in member ? { value: member.value } : member,
      )
    : value;
}

function isMember(part: unknown): part is { readonly value: unknown } {
  return typeof part === 'object' && part !== null && 'value' in part;
}

function nameLike(given: string, names: readonly string[]): string {
  return names.find((name) => name.toLowerCase() === given.toLowerCase()) ?? given;
}
