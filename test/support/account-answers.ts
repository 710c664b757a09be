import { DavClient } from './dav-client.js';
import { feverClientOf } from './fever-client.js';
import { GoogleReaderClient } from './google-reader-client.js';
import { NewsClient, ok } from './news-client.js';
import type { TestApp, TestUser } from './start-app.js';

type Json = Readonly<Record<string, unknown>>;

/**
 * What all APIs answer to a user, without what another service must number or date anew: ids are replaced by
 * addresses and names, and lists are sorted.
 */
export async function accountAnswers(
  app: Pick<TestApp, 'url' | 'inside'>,
  user: TestUser,
): Promise<Readonly<Record<string, unknown>>> {
  const [v12, v13] = [new NewsClient(user, 'v1-2'), new NewsClient(user, 'v1-3')];
  const folders = await v13.folders();
  const { feeds } = await v13.feedList();
  const folderName = new Map<unknown, string>(folders.map(({ id, name }) => [id, name]));
  const feedUrl = new Map<unknown, string>(feeds.map(({ id, url }) => [id, url]));
  const all = { getRead: true, type: 3, batchSize: -1 };
  const items = await v13.items(all);
  const itemKey = new Map<unknown, string>(
    items.map((item) => [item.id, `${feedUrl.get(item.feedId)} ${item.guid}`]),
  );
  const itemOf = ({ id: _id, feedId, lastModified: _at, ...item }: Json) => ({
    ...item,
    feed: feedUrl.get(feedId),
  });
  const feedOf = ({ id: _id, folderId, ...feed }: Json) => ({
    ...without(feed, [
      'added',
      'faviconLink',
      'iconUrl',
      'nextUpdateTime',
      'lastUpdateError',
      'updateErrorCount',
    ]),
    folder: folderName.get(folderId) ?? null,
  });
  const lists = await ok<{ highlights: Json[] }>(v13.get('/highlights'));
  const { rules } = await ok<{ rules: Json[] }>(v13.get('/rules/export'));
  const { searches } = await ok<{ searches: Json[] }>(v13.get('/searches'));
  const opml = await v13.get('/opml/export');
  return {
    folders: sorted(folders.map(({ name }) => name)),
    feeds: sorted(feeds.map((feed) => feedOf(feed as unknown as Json))),
    feedsV12: sorted((await v12.feedList()).feeds.map((feed) => feedOf(feed as unknown as Json))),
    items: sorted(items.map((item) => itemOf(item as unknown as Json))),
    itemsV12: sorted((await v12.items(all)).map((item) => itemOf(item as unknown as Json))),
    labels: sorted((await v13.labels()).map(({ id: _id, ...label }) => label)),
    highlights: sorted(
      lists.highlights.map(({ itemId, ...highlight }) => ({
        ...without(highlight, ['id', 'feedId', 'created', 'changed', 'createdAt', 'changedAt']),
        item: itemKey.get(itemId),
      })),
    ),
    rules: rules.map((rule) => without(rule, ['id'])),
    searches: sorted(searches.map((search) => without(search, ['id', 'unreadCount', 'isCounted']))),
    opml: opml.text
      .replace(/<dateCreated>[^<]*|<title>[^<]*/g, '')
      .replace(/<gatefold:rules>.*<\/gatefold:rules>/s, ''),
    googleReader: await googleReader(user, feedUrl, itemKey),
    fever: await fever(app, user, feedUrl, itemKey),
    preferences: preferencesOf(
      (await user.get('/ocs/v2.php/apps/gatefold/api/v1/preferences?format=json')).json,
    ),
    files: await filesOf(user),
  };
}

async function googleReader(
  user: TestUser,
  feedUrl: ReadonlyMap<unknown, string>,
  itemKey: ReadonlyMap<unknown, string>,
) {
  const client = await GoogleReaderClient.of(user);
  const feedOf = (id: string) => feedUrl.get(Number(id.replace('feed/', '')));
  const { subscriptions } = (await client.get('subscription/list')).json as {
    subscriptions: Json[];
  };
  const { items } = (await client.get('stream/contents/reading-list', [['n', '1000']])).json as {
    items: Json[];
  };
  return {
    subscriptions: sorted(
      subscriptions.map((one) => ({
        ...without(one, ['sortid', 'firstitemmsec', 'iconUrl']),
        id: feedOf(String(one['id'])),
      })),
    ),
    tags: sorted(
      ((await client.get('tag/list')).json as { tags: Json[] }).tags.map((tag) =>
        without(tag, ['sortid']),
      ),
    ),
    items: sorted(
      items.map((item) => ({
        ...without(item, ['crawlTimeMsec', 'timestampUsec', 'origin']),
        id: itemKey.get(
          Number(BigInt(`0x${String(item['id']).slice(-16)}`) - 1_000_000_000_000_000n),
        ),
      })),
    ),
  };
}

async function fever(
  app: Pick<TestApp, 'url' | 'inside'>,
  user: TestUser,
  feedUrl: ReadonlyMap<unknown, string>,
  itemKey: ReadonlyMap<unknown, string>,
) {
  const client = await feverClientOf(app, user);
  const { groups } = await client.ask('groups');
  const keys = (ids: readonly number[]) => sorted(ids.map((id) => itemKey.get(id)));
  return {
    groups: sorted(groups.map(({ title }) => title)),
    unread: keys(await client.unreadIds()),
    saved: keys(await client.savedIds()),
    items: sorted(
      (await client.items()).map(({ id, feed_id, ...item }) => ({
        ...item,
        id: itemKey.get(id),
        feed: feedUrl.get(feed_id),
      })),
    ),
  };
}

function preferencesOf(answer: unknown): unknown {
  const { data } = (answer as { ocs: { data: Record<string, { values: unknown }> } }).ocs;
  return Object.fromEntries(Object.entries(data).map(([area, { values }]) => [area, values]));
}

/** Names with sizes and times; folders by their names alone, since these get times of their own. */
async function filesOf(user: TestUser): Promise<unknown> {
  const properties = ['d:getlastmodified', 'd:getcontentlength'];
  const members = await new DavClient(user).properties('/Photos', properties, '1');
  return sorted(
    members.map(({ href, found }) => {
      const name = href.replace(/^.*\/Photos\//, '');
      return href.endsWith('/') ? { name } : { name, ...found };
    }),
  );
}

function without(json: Json, names: readonly string[]): Json {
  return Object.fromEntries(Object.entries(json).filter(([name]) => !names.includes(name)));
}

/** By their JSON. */
function sorted<Thing>(things: readonly Thing[]): Thing[] {
  const keyed = things.map((thing) => [JSON.stringify(thing), thing] as const);
  return keyed
    .sort(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0))
    .map(([, thing]) => thing);
}
