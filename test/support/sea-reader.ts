import type { FeedServer } from './feed-server.js';
import { rss } from './feed-server.js';
import { GoogleReaderClient } from './google-reader-client.js';
import { NewsClient } from './news-client.js';
import type { SharedService } from './shared-service.js';

/** A new user, whose items 1 to 3 are of feed A, at the root, and 4 and 5 of feed B, in the folder "Sea". */
export async function aSeaReader(app: SharedService, publisher: FeedServer) {
  publishNumbered(publisher, 'a', 3);
  publishNumbered(publisher, 'b', 2);
  const user = await app.signIn();
  const news = new NewsClient(user, 'v1-3');
  const folderId = (await news.createFolder('Sea')).id;
  const feedA = `feed/${(await news.subscribe(publisher.url('/a.xml'))).id}`;
  const feedB = `feed/${(await news.subscribe(publisher.url('/b.xml'), folderId)).id}`;
  return { news, feedA, feedB, reader: await GoogleReaderClient.of(user) };
}

/** Articles `a3`, `a2`, `a1` of a feed `a`. */
export function publishNumbered(publisher: FeedServer, name: string, count: number): void {
  const items = Array.from({ length: count }, (_none, n) => ({
    title: `${name}${count - n}`,
    guid: `${name}/${count - n}`,
    link: publisher.url(`/${name}/${count - n}`),
  }));
  publisher.publish(`/${name}.xml`, rss({ title: name, items }));
}
