import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { MikroORM } from '@mikro-orm/postgresql';
import { HttpAdapterHost } from '@nestjs/core';
import { DatabaseNotices, type NoticeListener } from '../../src/database/notices/notices.js';
import { startApp, type TestApp } from '../support/start-app.js';
import { queryServer } from '../support/test-database.js';
import { within } from '../support/until.js';

const CHANNEL = 'gatefold_spec';

let app: TestApp;
let notices: DatabaseNotices;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());
beforeEach(() => {
  notices = new DatabaseNotices(app.inside(MikroORM), new HttpAdapterHost());
});
afterEach(async () => {
  notices.beforeApplicationShutdown();
  await notices.onApplicationShutdown();
});

/** Records notifications, and can wait for them. */
class Ear implements NoticeListener {
  readonly words: string[] = [];
  resumptions = 0;
  #changed = Promise.withResolvers<void>();

  heard(word: string): void {
    this.words.push(word);
    this.#wake();
  }

  resumed(): void {
    this.resumptions += 1;
    this.#wake();
  }

  async until(isSo: () => boolean): Promise<void> {
    while (!isSo()) {
      await within('the next notification', this.#changed.promise);
    }
  }

  #wake(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}

/** Notifications arrive in order, so the last one implies all earlier ones. */
async function say(...words: readonly string[]): Promise<void> {
  for (const word of words) {
    await notices.announce(CHANNEL, word, app.database);
  }
}

async function acceptConnections(accepted: boolean): Promise<void> {
  const [row] = await app.database.query<{ name: string }>('select current_database() as name');
  await queryServer(`alter database "${row?.name}" allow_connections ${accepted}`);
}

it('delivers each notification once to a listener that subscribes twice', async () => {
  const ear = new Ear();
  await Promise.all([notices.listen(CHANNEL, ear), notices.listen(CHANNEL, ear)]);
  await notices.listen(CHANNEL, ear);

  await say('one', 'last');

  await ear.until(() => ear.words.includes('last'));
  expect(ear.words).toEqual(['one', 'last']);
});

it('notifies all listeners of a channel, and none of another one', async () => {
  const [first, second, stranger] = [new Ear(), new Ear(), new Ear()];
  await notices.listen(CHANNEL, first);
  await notices.listen(CHANNEL, second);
  await notices.listen('gatefold_elsewhere', stranger);

  await say('hello');
  await notices.announce('gatefold_elsewhere', 'last', app.database);

  await stranger.until(() => stranger.words.length > 0);
  expect([first.words, second.words, stranger.words]).toEqual([['hello'], ['hello'], ['last']]);
});

it('rejects listeners while the database is away, and accepts them afterwards', async () => {
  const ear = new Ear();
  await acceptConnections(false);
  try {
    await expect(notices.listen(CHANNEL, ear)).rejects.toThrow(/not currently accepting/);
  } finally {
    await acceptConnections(true);
  }

  await notices.listen(CHANNEL, ear);
  await say('one', 'last');

  await ear.until(() => ear.words.includes('last'));
  expect(ear.words).toEqual(['one', 'last']);
});

it('listens on each channel again after a lost connection', async () => {
  const ear = new Ear();
  await notices.listen(CHANNEL, ear);

  await app.database.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'gatefold notices' and datname = current_database()`,
  );
  await ear.until(() => ear.resumptions === 1);
  await notices.listen(CHANNEL, ear);
  await say('one', 'last');

  await ear.until(() => ear.words.includes('last'));
  expect(ear.words).toEqual(['one', 'last']);
});
