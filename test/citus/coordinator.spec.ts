import { afterAll, describe, expect, it } from '@jest/globals';
import { rss } from '../support/feed-server.js';
import { NewsClient } from '../support/news-client.js';
import { serviceAndPublisher } from '../support/service-and-publisher.js';
import { createTestDatabase } from '../support/test-database.js';

const database = await createTestDatabase(false);
const { app, publisher } = await serviceAndPublisher({ DATABASE_URL: database.url });
afterAll(() => database.drop());

describe('a service whose database is the coordinator of a Citus cluster', () => {
  it('has two workers that are asked', async () => {
    const workers = await app.database.query(
      `select isactive, shouldhaveshards from pg_dist_node where groupid <> 0`,
    );

    expect(workers).toEqual([
      { isactive: true, shouldhaveshards: true },
      { isactive: true, shouldhaveshards: true },
    ]);
  });

  it('distributes nothing by itself', async () => {
    expect(await app.database.query('select logicalrelid from pg_dist_partition')).toEqual([]);
  });

  it('subscribes, delivers, and keeps what a user changes from others', async () => {
    publisher.publish('/a.xml', rss({ title: 'a', items: [{ title: 'one' }, { title: 'two' }] }));
    const news = new NewsClient(await app.signIn(), 'v1-3');
    const stranger = new NewsClient(await app.signIn(), 'v1-3');

    await news.subscribe(publisher.url('/a.xml'));
    await stranger.subscribe(publisher.url('/a.xml'));
    const { id } = await news.item('one');
    await news.post(`/items/${id}/star`);

    expect((await news.item('one')).starred).toBe(true);
    expect((await stranger.item('one')).starred).toBe(false);
  });
});
