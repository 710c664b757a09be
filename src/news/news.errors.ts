import {
  conflict,
  DomainError,
  forbidden,
  invalid,
  notFound,
} from '../common/errors/domain-error.js';
import { titleOrHost } from './news.wire.js';

/** @returns the name, trimmed @throws the error with the rule that it breaks */
export function checkedName(
  given: string,
  mostCharacters: number,
  Invalid: new (rule: string) => DomainError,
): string {
  const name = given.trim();
  if (name === '') {
    throw new Invalid('must not be empty');
  }
  if (name.length > mostCharacters) {
    throw new Invalid(`has at most ${mostCharacters} characters`);
  }
  if (name.includes('\0')) {
    throw new Invalid('must not contain a null character');
  }
  return name;
}

export class FolderNotFound extends notFound(
  (folderId: number) => `There is no folder ${folderId}.`,
) {}

export class FolderAlreadyExists extends conflict(
  (name: string) => `A folder named "${name}" already exists.`,
) {}

export class InvalidFolderName extends invalid((rule: string) => `The name of a folder ${rule}.`) {}

export class FolderOfGroup extends forbidden(
  (name: string) => `"${name}" is a folder of a group, whose editors decide which feeds are in it.`,
) {}

export class FolderHasMandatoryFeeds extends forbidden(
  (name: string) =>
    `The folder "${name}" has feeds that everybody in a group has. It cannot be removed.`,
) {}

export class MandatoryFeed extends forbidden(
  (title: string) =>
    `Everybody in a group has the feed "${title}". It can be renamed, but neither moved nor removed.`,
) {}

export class FeedOfGroup extends forbidden(
  (title: string) => `The feed "${title}" is from a group. How it is fetched is up to its editors.`,
) {}

export class FeedNotFound extends notFound((feedId: number) => `There is no feed ${feedId}.`) {}

export class FeedNotFetched extends invalid(
  'Nothing is fetched for this feed: its items are added to it.',
) {}

export class FeedAlreadyExists extends DomainError {
  readonly kind = 'conflict';
  /** Of the feed as the user has it; null where it does not matter. */
  readonly address: string | null;

  /** @param followed the feed as the user has it; null where it does not matter */
  constructor(followed: { readonly url: string; readonly title: string } | null = null) {
    super(
      followed === null
        ? 'This feed is already among your feeds.'
        : `You follow this feed already: "${titleOrHost(followed.title, followed.url)}".`,
    );
    this.address = followed?.url ?? null;
  }
}

export class FeedMovedTooOften extends conflict(
  (most: number) =>
    `The address of this feed was changed ${most} times; subscribe to the new address instead.`,
) {}

export class InvalidFeedTitle extends invalid((rule: string) => `The title of a feed ${rule}.`) {}

export class LabelNotFound extends notFound((labelId: number) => `There is no label ${labelId}.`) {}

/** Also for people who are not in the group. */
export class BoardNotFound extends notFound(
  (boardId: number) => `There is no board ${boardId} of a group of yours.`,
) {}

export class ItemNotFound extends notFound(
  (item: number | string) => `There is no item ${item}.`,
) {}
