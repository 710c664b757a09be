import { changesSince, findTitles } from '../model/items-api.js';
import { sendWaitingFlags } from '../offline/offline-flags.js';
import { useFeeds } from './feeds.store.js';
import type { ListPages } from './list-pages.js';
import type { LoadedItems } from './loaded-items.js';

/** The newest rows, which may get a translated title. */
const MOST_TITLES = 200;

/**
 * Fetches changes made elsewhere: flags are updated and new items counted, but the rows of the list
 * do not move.
 */
export async function synchronize(pages: ListPages, items: LoadedItems): Promise<void> {
  const feeds = useFeeds();
  const { list, articles } = items;
  await feeds.whileChanging(sendWaitingFlags());
  if (pages.since === 0) {
    const isEmpty = list.entries.value.length === 0;
    await Promise.all([feeds.load(), isEmpty ? pages.reload() : undefined]);
    return;
  }
  const [changes] = await Promise.all([changesSince(pages.since), feeds.load()]);
  pages.since = Math.max(pages.since, changes.since);
  if (!changes.isComplete) {
    articles.clear();
    await pages.reload();
    return;
  }
  changes.rows.forEach((row) => items.note(row));
  list.publish();
  await pages.announce(changes.rows);
  if (pages.isAutomated) {
    articles.clear();
    await showTitles(items);
  }
}

/** Shows the titles that were translated since the list was loaded. */
async function showTitles({ list }: LoadedItems): Promise<void> {
  const waiting = list.entries.value.filter((entry) => entry.translatedTitle === undefined);
  const newest = waiting.map(({ id }) => id).toSorted((a, b) => b - a);
  for (const { id, translatedTitle } of await findTitles(newest.slice(0, MOST_TITLES))) {
    list.change(id, { translatedTitle });
  }
  list.publish();
}
