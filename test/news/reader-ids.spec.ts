import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Config } from '../../src/common/config/config.js';
import { RestoreHooks } from '../../src/common/ports/hooks.js';
import {
  NO_READER,
  ReaderIdsRepository,
} from '../../src/news/reader/delivery/reader-ids.repository.js';
import { ReaderLocksRepository } from '../../src/news/reader/delivery/reader-locks.repository.js';
import { ReadersRepository } from '../../src/news/reader/delivery/readers.repository.js';
import { NewsClient } from '../support/news-client.js';
import { readerOf } from '../support/reader-of.js';
import { startApp, type TestApp } from '../support/start-app.js';
import { statementsOfRequests } from '../support/statements.js';

let app: TestApp;
let twin: TestApp;
beforeAll(async () => {
  app = await startApp();
  const { databaseUrl = '', dataDir } = app.inside(Config);
  twin = await startApp({ DATABASE_URL: databaseUrl, GATEFOLD_DATA_DIR: dataDir });
});
afterAll(async () => {
  await twin.stop();
  await app.stop();
});

const idAt = async (process: TestApp, userId: string) => (await readerOf(process, userId)).id;
const changeAt = async (process: TestApp, userId: string) =>
  process
    .inside(ReadersRepository)
    .change(await readerOf(process, userId), async (_tx, { id }) => id);

describe('the id of a user of the feed reader', () => {
  it('is looked up once', async () => {
    const id = await changeAt(app, 'ada');
    expect(await idAt(app, 'ada')).toBe(id);

    expect(await statementsOfRequests(app.database, () => idAt(app, 'ada'))).toEqual([]);
  });

  it('is not remembered for users without a reader', async () => {
    expect(await idAt(app, 'nobody')).toBe(NO_READER);
    const id = await changeAt(twin, 'nobody');

    expect(await idAt(app, 'nobody')).toBe(id);
  });

  it('is another one in all processes when the user was removed and is back', async () => {
    const former = await changeAt(app, 'bob');
    expect(await idAt(twin, 'bob')).toBe(former);

    await app.inside(ReadersRepository).remove('bob');
    // Even if the notice is still under way.
    const id = await changeAt(twin, 'bob');

    expect(id).not.toBe(former);
    expect([await idAt(twin, 'bob'), await changeAt(app, 'bob')]).toEqual([id, id]);
  });

  it('is looked up again by a list, before the notice of the removal arrives', async () => {
    await changeAt(app, 'cleo');
    const reader = await readerOf(app, 'cleo');
    await app.database.query(`delete from reader where user_id = 'cleo'`);
    const id = await changeAt(twin, 'cleo');

    expect(await app.inside(ReadersRepository).stateOf(reader, true)).toMatchObject({ id });
    expect(reader.id).toBe(id);
  });

  it('is looked up again by a change, even if no notice of the removal arrives', async () => {
    await changeAt(app, 'dora');
    const former = await idAt(app, 'dora');
    await app.database.query('alter table reader_user disable trigger user');
    await app.database.query(`delete from reader where user_id = 'dora'`);
    await app.database.query('alter table reader_user enable trigger user');

    const id = await changeAt(app, 'dora');

    expect(id).not.toBe(former);
    expect(await idAt(app, 'dora')).toBe(id);
  });

  it('is looked up once by the request that makes the reader', async () => {
    const news = new NewsClient(await app.signIn(), 'v1-3');
    await news.get('/version');

    const statements = await statementsOfRequests(app.database, () => news.createFolder('First'));

    expect(statements.filter((sql) => sql.includes('from reader_user'))).toHaveLength(1);
  });

  it('is not given out again to items after a restore, which moves on by a million', async () => {
    const nextItemIds = () =>
      app.database.query<{ id: number; next: number; at: number }>(
        'select id, next_item_id as next, last_modified_micros as at from reader order by id',
      );
    await changeAt(app, 'fay');
    const before = await nextItemIds();

    await app.inside(RestoreHooks).run();

    const after = await nextItemIds();
    expect(after.map(({ next }) => next)).toEqual(before.map(({ next }) => next + 1_000_000));
    expect(after.every(({ at }, n) => at > (before[n]?.at ?? 0))).toBe(true);
  });

  it('is refused in words when the reader is removed while it is created', async () => {
    class Removed extends ReaderLocksRepository {
      protected override async lockRow(): Promise<undefined> {}
    }
    const locks = new Removed(app.inside(ReaderIdsRepository));

    const change = app.database.transaction((tx) =>
      locks.lock({ id: NO_READER, userId: 'gone' }, tx),
    );

    await expect(change).rejects.toThrow(
      'The reader row of gone was removed while it was being created',
    );
  });

  it('is the same for two processes that create the reader', async () => {
    const ids = await Promise.all([app, twin, app, twin].map((at) => changeAt(at, 'eve')));

    expect(new Set(ids).size).toBe(1);
  });
});
