import { z } from 'zod';
import { text, unlessAbsent } from '../parameters.js';

const MOST_ITEMS = 100;
const LONGEST_GUID = 2000;
const LONGEST_ADDRESS = 8000;

/** The year 9999. */
const LATEST_SECONDS = 253_402_300_799;

const address = z
  .string()
  .trim()
  .max(LONGEST_ADDRESS)
  .refine((url) => ['http:', 'https:'].includes(URL.parse(url)?.protocol ?? ''), {
    error: 'must be an http or https address',
  });

const AddedItem = z
  .object({
    guid: unlessAbsent(z.string().trim().min(1).max(LONGEST_GUID)),
    url: unlessAbsent(address),
    title: unlessAbsent(text),
    body: unlessAbsent(text),
    author: unlessAbsent(text),
    pubDate: unlessAbsent(
      z.coerce.number({ error: 'must be unix seconds' }).int().min(0).max(LATEST_SECONDS),
    ),
    enclosureLink: unlessAbsent(address),
    enclosureMime: unlessAbsent(text),
  })
  .refine(({ guid, url }) => guid !== undefined || url !== undefined, {
    error: 'must have a guid or a url',
  });

/** An item as it is given; texts as in documents of publishers. `pubDate` is in unix seconds. */
export type AddedItem = z.output<typeof AddedItem>;

const WithFeed = z.object({ feedTitle: unlessAbsent(text) });

/** One item, or `items`; all of one feed. */
export const AddItems = z.preprocess(
  (input: object) => ('items' in input ? input : { ...input, items: [input] }),
  WithFeed.extend({
    items: z
      .array(AddedItem, { error: 'must be a list of items' })
      .min(1)
      .max(MOST_ITEMS, { error: `must be at most ${MOST_ITEMS} items` }),
  }),
);
