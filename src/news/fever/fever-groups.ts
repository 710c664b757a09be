import type { FeverFeed } from './fever.repository.js';

/**
 * The group of feeds at the root, which clients would not show otherwise. Not 0, which means all feeds;
 * clients read ids as integers of 32 bits, and folders never reach the largest.
 */
export const ROOT_GROUP = 2_147_483_647;

/** The feeds of a group, a folder or `ROOT_GROUP`. */
export function feedsOfGroup(feeds: readonly FeverFeed[], groupId: number): number[] {
  return feeds.filter((feed) => groupOf(feed) === groupId).map(({ id }) => id);
}

export function groupOf({ folderId }: FeverFeed): number {
  return folderId ?? ROOT_GROUP;
}
