import { z } from 'zod';
import type { RowOfBytes } from '../../../database/byte-rows.js';

/**
 * The JSON of an item as UTF-8 bytes, one character per byte, like the row.
 *
 * @param row of a list `asJson`
 */
export function itemJson([json, body, labels, duplicateOf]: RowOfBytes): string {
  const ofLabels = labels === null ? '' : `,"labels":${labels}`;
  const ofStory = duplicateOf === null ? '' : `,"duplicateOf":${duplicateOf}`;
  return `${json?.slice(0, -1)}${ofLabels}${ofStory},"body":${JSON.stringify(body ?? '')}}`;
}

const itemFields = {
  id: z.int(),
  guid: z.string(),
  guidHash: z.string(),
  url: z.string().nullable(),
  title: z.string().nullable(),
  author: z.string().nullable(),
  pubDate: z.int().describe('Unix seconds.'),
  updatedDate: z.string().nullable().describe('Unix seconds as text.'),
  enclosureMime: z.string().nullable(),
  enclosureLink: z.string().nullable(),
  mediaThumbnail: z.string().nullable(),
  mediaDescription: z.string().nullable(),
  feedId: z.int(),
  unread: z.boolean(),
  starred: z.boolean(),
  filtered: z.boolean(),
  lastModified: z
    .int()
    .describe('Unix seconds; clients send the highest one as their next lastModified.'),
  rtl: z.boolean(),
  fingerprint: z.string(),
  contentHash: z.string(),
  labels: z.array(z.string()).optional().describe('Absent while the caller has no labels.'),
  duplicateOf: z
    .int()
    .optional()
    .describe('The item by which the caller has the story; absent for most.'),
  body: z.string().describe('Sanitized HTML.'),
};

const ItemSchema = z.object(itemFields).meta({ id: 'Item' });

export const ItemsAnswer = z.object({ items: z.array(ItemSchema) });

export const OneItemAnswer = z.object({
  ...itemFields,
  translatedTitle: z.string().optional(),
  summary: z.string().optional(),
});

/** An item as the API shows it. */
export type OneItem = z.output<typeof OneItemAnswer>;
