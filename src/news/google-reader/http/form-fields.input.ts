import { z } from 'zod';
import { numberOfDigits } from '../../../common/http/loose-inputs.js';

/* Fields of forms and queries, for the API document. Fields marked as lists may be sent several times. */

const field = z.string().optional();
const several = z.union([z.string(), z.array(z.string())]).optional();

export const StreamFields = z.object({
  s: field.describe('The stream.'),
  it: several.describe('Only items that are also in these streams.'),
  xt: several.describe('Not items of these streams.'),
  ot: field.describe('Only newer ones; a unix time.'),
  nt: field.describe('Only older ones; a unix time.'),
  r: field.describe('`o` for the oldest first.'),
  n: field.describe('How many.'),
  c: field.describe('The continuation of the last page.'),
});

export const NamedItemFields = z.object({ i: several.describe('Ids of items.') });

export const EditTagFields = z.object({
  i: several.describe('Ids of items.'),
  a: several.describe('Tags to add.'),
  r: several.describe('Tags to remove.'),
});

export const MarkAllReadFields = z.object({
  s: z.string().describe('The stream.'),
  ts: field.describe('Items that arrived later stay unread; a unix time.'),
});

export const QuickAddFields = z.object({ quickadd: z.string().describe('The address.') });

export const SubscriptionFields = z.object({
  ac: field.describe('`subscribe`, `unsubscribe` or `edit`.'),
  s: several.describe('Streams of feeds.'),
  t: several.describe('Titles.'),
  a: several.describe('Folders to move to.'),
  r: several.describe('Folders to leave.'),
});

export const StreamField = z.object({ s: several.describe('The stream.') });

export const RenameTagFields = z.object({
  s: field.describe('The label or folder.'),
  t: field,
  dest: z.string().describe('Its new name.'),
});

export const RemoveTagFields = z.object({ s: several.describe('Labels and folders.'), t: several });

export const LogInFields = z.object({
  Email: z.string().describe('The name of the account.'),
  Passwd: z.string().describe('An app password, or the password.'),
  output: field.describe('`json` for JSON.'),
});

/** Greater numbers are not seconds: they would lie in the year 2286 and later. */
const LONGEST_SECONDS = 9_999_999_999;
const LONGEST_MILLISECONDS = LONGEST_SECONDS * 1000;

/**
 * A time of a client in unix seconds, milliseconds or microseconds, told apart by their digits.
 *
 * @returns unix microseconds; null if absent, 0 or invalid
 */
export function timeMicros(text: string | undefined): number | null {
  const number = numberOfDigits(text?.trim());
  if (number === null || number === 0) {
    return null;
  }
  if (number <= LONGEST_SECONDS) {
    return number * 1_000_000;
  }
  return number <= LONGEST_MILLISECONDS ? number * 1000 : number;
}
