import { z } from 'zod';
import { wholeNumber } from '../../../common/http/loose-inputs.js';

const text = z.string().max(1000);
const LONGEST_FILTER = 2000;
export const MOST_RESULTS = 200;
const USUAL_RESULTS = 100;

const count = (least: number) => wholeNumber.transform((value) => Math.max(least, value));

/** RFC 7644 section 3.4.2: `startIndex` counts from 1. Values out of range are brought into it. */
export const ListInput = z.object({
  filter: z.string().max(LONGEST_FILTER).optional(),
  startIndex: count(1).optional().default(1),
  count: count(0)
    .optional()
    .default(USUAL_RESULTS)
    .transform((value) => Math.min(value, MOST_RESULTS)),
  attributes: text.optional(),
  excludedAttributes: text.optional(),
});
export type ListInput = z.output<typeof ListInput>;

/** The attributes to return, RFC 7644 section 3.9. */
export const ShownAttributes = ListInput.pick({ attributes: true, excludedAttributes: true });
export type ShownAttributes = z.output<typeof ShownAttributes>;

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

/** Always returned, even if not requested. */
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
