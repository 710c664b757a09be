import { DavClient } from './dav-client.js';
import { rss, type FeedServer } from './feed-server.js';
import type { Random } from './histories/random.js';
import { NewsClient, ok } from './news-client.js';
import type { TestUser } from './start-app.js';

const WORDS = ['tide', 'harbour', 'storm', 'Möwe', 'a & b', 'rain', 'lamp'];
const LABELS = ['Sea', 'Land & sky', 'später'];

/** Fills an account with what a person makes in months: a random part of everything that the archive claims. */
export async function fillAccount(
  user: TestUser,
  publisher: FeedServer,
  random: Random,
): Promise<void> {
  const news = new NewsClient(user, 'v1-3');
  const word = () => random.pick(WORDS) ?? 'tide';
  const name = user.credentials.userId;
  const folderIds: (number | null)[] = [null];
  for (const folder of ['Coast', 'Inland & more'].slice(0, random.below(3))) {
    folderIds.push((await news.createFolder(folder)).id);
  }
  for (let n = 0; n < 1 + random.below(3); n += 1) {
    const items = Array.from({ length: 2 + random.below(6) }, (_, place) => ({
      title: `${word()} ${place}`,
      guid: `${name}-${n}-${place}`,
      link: `https://paper.example/${name}/${n}/${place}`,
      body: `<p>The ${word()} of number ${place} <b>rose</b>.</p>`,
      pubDate: new Date(Date.UTC(2026, 2, 1 + place, 8)),
    }));
    publisher.publish(
      `/${name}/${n}.xml`,
      rss({ title: `${word()} ${n}`, link: publisher.url('/'), items }),
    );
    const feed = await news.subscribe(
      publisher.url(`/${name}/${n}.xml`),
      random.pick(folderIds) ?? null,
    );
    const settings = {
      ...(random.chance(0.5) && { pinned: true }),
      ...(random.chance(0.5) && { ordering: 1 + random.below(2) }),
      ...(random.chance(0.3) && { updateMode: 1 }),
      ...(random.chance(0.3) && { fetchEveryHours: 1 + random.below(24) }),
      ...(random.chance(0.3) && { title: `My ${word()} ${n}` }),
    };
    await ok(news.call('PATCH', `/feeds/${feed.id}`, { json: settings }));
    if (random.chance(0.3)) {
      await ok(
        news.post(`/feeds/${feed.id}/filter`, {
          titleKeywords: 'never',
          bodyKeywords: '',
          urlKeywords: '',
        }),
      );
    }
  }
  for (let n = 0; n < random.below(3); n += 1) {
    const page = {
      title: `Page ${n} of ${word()}`,
      url: `https://page.example/${name}/${n}`,
      body: `<p>${word()}</p>`,
    };
    await ok(news.post('/items', { ...page, pubDate: 1_770_000_000 + n }));
  }
  await news.label([], { add: ['Nowhere'] });
  for (const { id } of await news.items({ getRead: true, type: 3, batchSize: -1 })) {
    if (random.chance(0.4)) {
      await ok(news.post(`/items/${id}/read`));
    }
    if (random.chance(0.3)) {
      await ok(news.post(`/items/${id}/star`));
    }
    if (random.chance(0.3)) {
      await news.label([id], { add: [random.pick(LABELS) ?? 'Sea'] });
    }
    if (random.chance(0.2)) {
      const note = random.chance(0.5) ? word() : null;
      await ok(
        news.post(`/items/${id}/highlights`, {
          exact: 'number',
          position: 4,
          colour: 'blue',
          note,
        }),
      );
    }
  }
  await ok(
    news.post('/searches', {
      name: 'Storms',
      query: 'title:storm OR label:Nowhere',
      inClients: random.chance(0.5),
    }),
  );
  await ok(news.post('/searches', { name: 'More', query: 'search:Storms rain' }));
  await ok(
    news.post('/rules', {
      name: 'Quiet',
      query: 'search:More',
      actions: [{ type: 'label', names: ['Nowhere'] }],
    }),
  );
  await user.call('PATCH', '/ocs/v2.php/apps/gatefold/api/v1/preferences/reader', {
    json: { values: { layout: 'cards', lineCharacters: 60 + random.below(40) } },
  });
  const files = new DavClient(user);
  await files.call('MKCOL', '/Photos');
  await files.call('MKCOL', '/Photos/Empty');
  await files.put(`/Photos/${word()}.txt`, word());
}
