import { z } from 'zod';
import { orElse } from '../../../common/http/loose-inputs.js';
import { ITEM_RULES } from '../../feed-parser/items/item-identity.js';
import { boolean, integer, text, unlessAbsent } from '../../parameters.js';
import { AccessInput } from '../../sources/access/feed-access.input.js';

const folderOrRoot = z
  .union([z.null(), integer], { error: 'must be the id of a folder, or null' })
  .transform((id) => (id === 0 ? null : id));

/** Null, the root, when absent, null or 0. */
const folderId = z.preprocess((value) => value ?? null, folderOrRoot);

const MOST_START_UNREAD = 10_000;
const LONGEST_INTERVAL_HOURS = 168;

/** Number of newest items that are unread in a new feed; absent and null: all. */
export const startUnread = unlessAbsent(
  integer.refine((value) => value >= 0 && value <= MOST_START_UNREAD, {
    error: `must be from 0 to ${MOST_START_UNREAD}`,
  }),
);

export const Subscribe = z.object({
  url: text,
  folderId,
  startUnread,
  access: unlessAbsent(AccessInput),
});
/** A client that names no folder has forgotten it: the feed stays where it is. */
export const MoveFeed = z.object({ feedId: integer, folderId: folderOrRoot });
export const RenameFeed = z.object({ feedId: integer, feedTitle: text });
/** If `undoable`, the feed can be restored until the clean-up removes it. */
export const RemoveFeed = z.object({ feedId: integer, undoable: orElse(boolean, false) });
export const ReadFeedUpTo = z.object({ feedId: integer, newestItemId: integer });

/** Settings of one feed; absent ones keep their value. */
export const ChangeFeedSettings = z
  .object({
    feedId: integer,
    title: unlessAbsent(text),
    folderId: folderOrRoot.optional(),
    url: unlessAbsent(text),
    access: unlessAbsent(AccessInput),
    itemRule: unlessAbsent(z.enum(ITEM_RULES)),
    fetchEveryHours: integer
      .refine((value) => value >= 1 && value <= LONGEST_INTERVAL_HOURS, {
        error: `must be from 1 to ${LONGEST_INTERVAL_HOURS} hours, or null`,
      })
      .nullable()
      .optional(),
    fullTextEnabled: unlessAbsent(boolean),
    pinned: unlessAbsent(boolean),
    ordering: unlessAbsent(
      integer.refine((value) => [0, 1, 2].includes(value), {
        error: 'must be 0 (no special order), 1 (oldest first) or 2 (newest first)',
      }),
    ),
    updateMode: unlessAbsent(
      integer.refine((value) => [0, 1].includes(value), {
        error: 'must be 0 (a changed item keeps its unread flag) or 1 (it becomes unread)',
      }),
    ),
  })
  .transform(({ feedId, fullTextEnabled, ...settings }) => ({
    feedId,
    settings: { fullText: fullTextEnabled, ...settings },
  }));
