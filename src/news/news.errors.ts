import { DomainError, errorOf } from '../common/errors/domain-error.js';

export class FolderNotFound extends errorOf(
  'not-found',
  (folderId: number) => `There is no folder ${folderId}.`,
) {}

export class FolderAlreadyExists extends errorOf(
  'conflict',
  (name: string) => `A folder named "${name}" already exists.`,
) {}

export class InvalidFolderName extends errorOf(
  'invalid',
  (rule: string) => `The name of a folder ${rule}.`,
) {}

export class FeedNotFound extends errorOf(
  'not-found',
  (feedId: number) => `There is no feed ${feedId}.`,
) {}

export class FeedNotFetched extends errorOf(
  'invalid',
  'Nothing is fetched for this feed: its items are added to it.',
) {}

export class FeedAlreadyExists extends DomainError {
  readonly kind = 'conflict';

  /** @param address of the feed that was found there, normalised; null where it does not matter */
  constructor(readonly address: string | null = null) {
    super('This feed is already among your feeds.');
  }
}

export class FeedMovedTooOften extends errorOf(
  'conflict',
  (most: number) =>
    `The address of this feed was changed ${most} times; subscribe to the new address instead.`,
) {}

export class InvalidFeedTitle extends errorOf(
  'invalid',
  (rule: string) => `The title of a feed ${rule}.`,
) {}

export class ItemNotFound extends errorOf(
  'not-found',
  (item: number | string) => `There is no item ${item}.`,
) {}
