import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { rss } from '../support/feed-server.js';
import { LEVELS, NewsClient } from '../support/news-client.js';
import { sharedService } from '../support/shared-service.js';

const { app, publisher } = await sharedService();
beforeAll(async () => {
  for (const name of ['a', 'b']) {
    publisher.publish(
      `/${name}.xml`,
      rss({
        title: name,
        link: publisher.url('/'),
        items: [{ title: `${name}2` }, { title: `${name}1` }],
      }),
    );
  }
});

describe.each(LEVELS)('%s folders', (level) => {
  let news: NewsClient;
  let stranger: NewsClient;
  beforeEach(async () => {
    news = new NewsClient(await app.signIn(), level);
    stranger = new NewsClient(await app.signIn(), level);
  });

  it('[N23] has no folders in a new account, and an envelope with one key', async () => {
    const answer = await news.get('/folders');

    expect(answer.text).toBe('{"folders":[]}');
  });

  it('[N14] [N24] creates a folder and answers 200 with a list of that folder', async () => {
    const answer = await news.post('/folders', { name: 'Science' });

    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(answer.json).toEqual({
      folders: [expect.objectContaining({ id: expect.any(Number), name: 'Science' })],
    });
    expect(await news.folders()).toHaveLength(1);
  });

  it('[N25] refuses the name of another folder with 409, also with surrounding spaces', async () => {
    await news.createFolder('Science');

    expect((await news.post('/folders', { name: 'Science' })).status).toBe(409);
    expect((await news.post('/folders', { name: '  Science ' })).status).toBe(409);
    expect(await news.folders()).toHaveLength(1);
  });

  it.each(['', '   ', 'x'.repeat(256)])(
    '[N26] refuses the name "%.10s" with 422 and creates nothing',
    async (name) => {
      const answer = await news.post('/folders', { name });

      expect(answer.status).toBe(422);
      expect(answer.json).toEqual({ message: expect.stringContaining('name') });
      expect(await news.folders()).toEqual([]);
    },
  );

  it('[N27] allows the same name to another user', async () => {
    await news.createFolder('Science');

    expect((await stranger.post('/folders', { name: 'Science' })).status).toBe(200);
  });

  it('[N15] [N28] renames a folder and answers with an empty list', async () => {
    const folder = await news.createFolder('Sciense');

    const answer = await news.put(`/folders/${folder.id}`, { name: 'Science' });

    expect([answer.status, answer.text]).toEqual([200, '[]']);
    expect((await news.folders()).map(({ name }) => name)).toEqual(['Science']);
  });

  it('[N29] refuses the name of another folder, and accepts the current name', async () => {
    const folder = await news.createFolder('Science');
    await news.createFolder('Art');

    expect((await news.put(`/folders/${folder.id}`, { name: 'Art' })).status).toBe(409);
    expect((await news.put(`/folders/${folder.id}`, { name: 'Science' })).status).toBe(200);
  });

  it('[N30] refuses an empty name with 422 and an unknown folder with 404', async () => {
    const folder = await news.createFolder('Science');

    expect((await news.put(`/folders/${folder.id}`, { name: ' ' })).status).toBe(422);
    expect((await news.put('/folders/999999', { name: 'Art' })).status).toBe(404);
  });

  it('[N31] deletes a folder with its feeds and their items, and no others', async () => {
    const folder = await news.createFolder('Science');
    await news.subscribe(publisher.url('/a.xml'), folder.id);
    const elsewhere = await news.subscribe(publisher.url('/b.xml'));

    const answer = await news.delete(`/folders/${folder.id}`);

    expect([answer.status, answer.text]).toEqual([200, '[]']);
    expect(await news.folders()).toEqual([]);
    expect((await news.feedList()).feeds.map(({ id }) => id)).toEqual([elsewhere.id]);
    expect((await news.items()).map(({ title }) => title)).toEqual(['b2', 'b1']);
  });

  it('[N32] answers 404 for a deleted folder', async () => {
    const folder = await news.createFolder('Science');
    await news.delete(`/folders/${folder.id}`);

    expect((await news.delete(`/folders/${folder.id}`)).status).toBe(404);
  });

  it('[N32] answers 404 on every route for folders of other users', async () => {
    const folder = await news.createFolder('Science');

    expect(await stranger.folders()).toEqual([]);
    expect((await stranger.put(`/folders/${folder.id}`, { name: 'Mine' })).status).toBe(404);
    expect((await stranger.delete(`/folders/${folder.id}`)).status).toBe(404);
    expect((await stranger.change(`/folders/${folder.id}/read`, { newestItemId: 1 })).status).toBe(
      404,
    );
    expect(await news.folders()).toEqual([expect.objectContaining({ name: 'Science' })]);
  });

  it('[N33] [N34] marks the items of its feeds read up to the newest that the client knows', async () => {
    const folder = await news.createFolder('Science');
    const inside = await news.subscribe(publisher.url('/a.xml'), folder.id);
    await news.subscribe(publisher.url('/b.xml'));
    const seen = await news.item('a1');

    const answer = await news.change(`/folders/${folder.id}/read`, { newestItemId: seen.id });

    expect([answer.status, answer.text]).toEqual([200, 'null']);
    expect((await news.item('a1')).unread).toBe(false);
    expect((await news.item('a2')).unread).toBe(true);
    expect((await news.item('b1')).unread).toBe(true);
    expect((await news.feed(inside.id)).unreadCount).toBe(1);
  });

  it('[N34] answers 404 for marking an unknown folder read', async () => {
    expect((await news.change('/folders/999999/read', { newestItemId: 1 })).status).toBe(404);
  });

  it('[N17] [N18] [N19] reads parameters from query, body and form alike, also numbers as text', async () => {
    const inQuery = await news.call('POST', '/folders', { query: { name: 'by query' } });
    const inForm = await news.call('POST', '/folders', {
      body: 'name=by+form',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    const folder = await news.createFolder('by body');
    await news.call('PUT', `/folders/${folder.id}`, { query: { name: 'renamed by query' } });
    await news.call('PUT', `/folders/${folder.id}/read`, {
      query: { newestItemId: '5' },
      json: {},
    });

    expect([inQuery.status, inForm.status]).toEqual([200, 200]);
    expect((await news.folders()).map(({ name }) => name)).toEqual([
      'by form',
      'by query',
      'renamed by query',
    ]);
  });
});
