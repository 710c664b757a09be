import type { Feed } from '../model/feeds-api.js';
import type { FolderWithFeeds } from '../state/feed-rules.js';

/** Folders, and feeds outside of them. */
interface Tree {
  readonly folders: readonly FolderWithFeeds[];
  readonly rootFeeds: readonly Feed[];
}

/** Feeds whose names contain a text, in any case and without accents, and folders with them or of that name. */
export function treeNamed(sought: string, { folders, rootFeeds }: Tree): Tree {
  const isNamed = (name: string) => folded(name).includes(folded(sought));
  const named = (feeds: readonly Feed[]) => feeds.filter(({ title }) => isNamed(title));
  return {
    folders: folders
      .map((folder) => (isNamed(folder.name) ? folder : { ...folder, feeds: named(folder.feeds) }))
      .filter(({ name, feeds }) => feeds.length > 0 || isNamed(name)),
    rootFeeds: named(rootFeeds),
  };
}

function folded(text: string): string {
  return text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase().trim();
}
