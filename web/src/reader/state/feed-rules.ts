import type { Feed, Folder } from '../model/feeds-api.js';
import type { Headline } from '../model/items-api.js';
import type { Label } from '../model/labels-api.js';
import type { Selection } from '../model/selection.js';

export interface FolderWithFeeds extends Folder {
  readonly feeds: readonly Feed[];
  readonly unreadCount: number;
}

/** The user's feeds, folders and labels. */
export interface KnownFeeds {
  readonly byId: ReadonlyMap<number, Feed>;
  readonly folders: readonly Folder[];
  readonly labels: readonly Label[];
}

/** Compares names. */
type Compare = (one: string, other: string) => number;

export function unreadIn(feeds: readonly Feed[]): number {
  return feeds.reduce((sum, { unreadCount }) => sum + unreadCount, 0);
}

/** Folders with their feeds, both by name, pinned feeds first. */
export function treeOf(
  folders: readonly Folder[],
  feeds: readonly Feed[],
  byName: Compare,
): FolderWithFeeds[] {
  return folders
    .map((folder) => {
      const inside = feeds.filter(({ folderId }) => folderId === folder.id);
      return { ...folder, feeds: inOrder(inside, byName), unreadCount: unreadIn(inside) };
    })
    .sort((one, other) => byName(one.name, other.name));
}

export function inOrder(feeds: readonly Feed[], byName: Compare): readonly Feed[] {
  return feeds.toSorted(
    (one, other) => Number(other.pinned) - Number(one.pinned) || byName(one.title, other.title),
  );
}

/** @param added change of the unread count by feed id; negative for items marked read */
export function withUnread(
  feeds: readonly Feed[],
  added: ReadonlyMap<number, number>,
): readonly Feed[] {
  return feeds.map((feed) => {
    const more = added.get(feed.id);
    return more === undefined
      ? feed
      : { ...feed, unreadCount: Math.max(0, feed.unreadCount + more) };
  });
}

/** @param names of labels, each as often as an item has it */
export function withLabelled(
  labels: readonly Label[],
  names: readonly string[],
  added: 1 | -1,
): readonly Label[] {
  if (names.length === 0) {
    return labels;
  }
  const more = (name: string) => added * names.filter((one) => one === name).length;
  return labels.map((label) => ({
    ...label,
    unreadCount: Math.max(0, label.unreadCount + more(label.name)),
  }));
}

/** Whether a list is of a feed, of its folder, or of all feeds. */
export function contains(selection: Selection, feedId: number, byId: KnownFeeds['byId']): boolean {
  switch (selection.of) {
    case 'feed':
      return selection.feedId === feedId;
    case 'folder':
      return byId.get(feedId)?.folderId === selection.folderId;
    case 'label':
      return false;
    default:
      return true;
  }
}

/** Whether an item is in the list of a feed, folder or label, or in another list of all feeds. */
export function holds(
  selection: Selection,
  item: Pick<Headline, 'feedId' | 'labels'>,
  known: KnownFeeds,
): boolean {
  return selection.of === 'label'
    ? item.labels?.includes(nameOf(selection, known) ?? '') === true
    : contains(selection, item.feedId, known.byId);
}

/** The name of a feed, folder or label; undefined for other lists. */
export function nameOf(selection: Selection | undefined, known: KnownFeeds): string | undefined {
  switch (selection?.of) {
    case 'feed':
      return known.byId.get(selection.feedId)?.title;
    case 'folder':
      return known.folders.find(({ id }) => id === selection.folderId)?.name;
    case 'label':
      return known.labels.find(({ id }) => id === selection.labelId)?.name;
    default:
      return undefined;
  }
}
