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

/** An item of the request; texts as in documents of publishers. `pubDate` is in unix seconds. */
export type AddedItem = z.output<typeof AddedItem>;

const WithFeed = z.object({ feedTitle: unlessAbsent(text) });

/** The title of a page that is added by its address alone, unless the page tells a better one. */
const WithPageTitle = z.object({ pageTitle: unlessAbsent(text) });

const SeveralItems = WithFeed.extend({
  items: z
    .array(AddedItem, { error: 'must be a list of items' })
    .min(1)
    .max(MOST_ITEMS, { error: `must be at most ${MOST_ITEMS} items` }),
});

/** Both forms of the body, for the API document. */
export const AddedItemsForm = z.union([SeveralItems, AddedItem.and(WithFeed).and(WithPageTitle)]);

/** A page that is to be read: an item with an address alone. */
export interface AddedPage extends Omit<AddedItem, 'url' | 'title' | 'body' | 'enclosureLink'> {
  readonly url: string;
  readonly pageTitle: string | undefined;
}

const OneItem = AddedItem.and(WithFeed)
  .and(WithPageTitle)
  .transform(({ feedTitle, pageTitle, ...item }) => {
    const { url, title, body, enclosureLink } = item;
    const isPage = [title, body, enclosureLink].every((given) => given === undefined);
    const page: AddedPage | null = url !== undefined && isPage ? { ...item, url, pageTitle } : null;
    return { feedTitle, items: [item], page };
  });

/** One item, or `items` of the same feed; `page` if the one item is a page to be read. */
export const AddItems = z.looseObject({}).transform((input, context) => {
  // Not a union, whose errors would name parameters of the other form.
  const parsed = ('items' in input ? SeveralItems : OneItem).safeParse(input);
  if (parsed.success) {
    return { page: null, ...parsed.data };
  }
  for (const { path, message } of parsed.error.issues) {
    context.addIssue({ code: 'custom', path, message });
  }
  return z.NEVER;
});
