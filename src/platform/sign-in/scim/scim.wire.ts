import type { ShownAttributes } from './scim.input.js';

export const SCIM_MEDIA_TYPE = 'application/scim+json';

export function toListResponse(
  resources: readonly unknown[],
  { total, startIndex }: { readonly total: number; readonly startIndex: number },
) {
  return {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
    totalResults: total,
    startIndex,
    itemsPerPage: resources.length,
    Resources: resources,
  };
}

/** Always returned, whatever is asked for. */
const ALWAYS = new Set(['schemas', 'id']);

/** Only the requested attributes, by the first part of their names. */
export function withAttributes(
  resource: object,
  { attributes, excludedAttributes }: ShownAttributes,
): Record<string, unknown> {
  const wanted = attributes === undefined ? undefined : namesIn(attributes);
  const unwanted = namesIn(excludedAttributes ?? '');
  return Object.fromEntries(
    Object.entries(resource).filter(([name]) => {
      const key = name.toLowerCase();
      return ALWAYS.has(name) || (wanted === undefined ? !unwanted.has(key) : wanted.has(key));
    }),
  );
}

/** `name.givenName,emails` → name, emails; schema prefixes are ignored. */
function namesIn(list: string): Set<string> {
  const names = list
    .split(',')
    .map(
      (name) =>
        name
          .trim()
          .replace(/^urn:.*:/, '')
          .split('.', 1)[0] ?? '',
    )
    .filter((name) => name !== '');
  return new Set(names.map((name) => name.toLowerCase()));
}
