import { DomainError } from '../common/errors/domain-error.js';

export class FolderNotFound extends DomainError {
  readonly kind = 'not-found';

  constructor(folderId: number) {
    super(`There is no folder ${folderId}.`);
  }
}

export class FolderAlreadyExists extends DomainError {
  readonly kind = 'conflict';

  constructor(name: string) {
    super(`A folder named "${name}" already exists.`);
  }
}

export class InvalidFolderName extends DomainError {
  readonly kind = 'invalid';

  constructor(rule: string) {
    super(`The name of a folder ${rule}.`);
  }
}

export class FeedNotFound extends DomainError {
  readonly kind = 'not-found';

  constructor(feedId: number) {
    super(`There is no feed ${feedId}.`);
  }
}

export class FeedNotFetched extends DomainError {
  readonly kind = 'invalid';

  constructor() {
    super('Nothing is fetched for this feed: its items are added to it.');
  }
}

export class FeedAlreadyExists extends DomainError {
  readonly kind = 'conflict';

  /** @param address of the feed that was found there, normalised; null where it does not matter */
  constructor(readonly address: string | null = null) {
    super('This feed is already among your feeds.');
  }
}

export class FeedMovedTooOften extends DomainError {
  readonly kind = 'conflict';

  constructor(most: number) {
    super(
      `The address of this feed was changed ${most} times; subscribe to the new address instead.`,
    );
  }
}

export class InvalidFeedTitle extends DomainError {
  readonly kind = 'invalid';

  constructor(rule: string) {
    super(`The title of a feed ${rule}.`);
  }
}

export class ItemNotFound extends DomainError {
  readonly kind = 'not-found';

  constructor(item: number | string) {
    super(`There is no item ${item}.`);
  }
}
