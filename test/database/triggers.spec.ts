import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';
import { until } from '../support/until.js';

const CHANNELS =
  'gatefold_credentials gatefold_tasks gatefold_task_ended gatefold_task_catalogue ' +
  'gatefold_reader_removed gatefold_news_event';
const END = 'sent';

const ROWS = `
  truncate account, ex_app, task_type_setting, processing_task, reader, source, file_node,
           file_upload, file_blob_unreferenced, removed_source, news_event_wish, news_event
           restart identity cascade;
  insert into account (user_id, display_name, password_hash) values ('ada', 'Ada', '');
  insert into app_password (user_id, name, token_hash) values ('ada', 'phone', '1');
  insert into ex_app (app_id, name, version, base_url, secret_sealed, enabled)
  select app_id, app_id, '1', 'http://app.example', '', true
    from unnest('{writer,listener}'::text[]) as app_id;
  insert into ex_app_registration (app_id, kind, key, fields) values
    ('writer', 'task_processing', 'quill', '{}'), ('writer', 'top_menu', 'quill', '{}');
  insert into task_type_setting (type) values ('core:known');
  insert into processing_task (type, consumer, input, deadline_at, state, app_id, provider_id, attempts)
  select 'core:text2text', 'ada', '{}', 'infinity', state, app_id, provider_id, 2
    from (values ('running', 'writer', 'quill'), ('running', 'writer', 'pen'),
                 ('running', 'listener', 'quill')) as task (state, app_id, provider_id);
  insert into reader (user_id) values ('ada');
  insert into source (url, url_key) values ('https://tide.example/feed', '1');
  insert into subscription (reader_id, source_id, url) values (1, 1, 'https://tide.example/feed')`;

let database: TestDatabase;
let client: Client;
let listener: Client;
let heard: string[] = [];

beforeAll(async () => {
  database = await createTestDatabase(false);
  [client, listener] = [new Client(database.url), new Client(database.url)];
  await Promise.all([client.connect(), listener.connect()]);
  listener.on('notification', ({ channel, payload }) => heard.push(`${channel} ${payload}`.trim()));
  await listener.query([...CHANNELS.split(' '), END].map((one) => `listen ${one}`).join(';'));
});
beforeEach(async () => {
  await client.query(ROWS);
});
afterAll(async () => {
  await Promise.all([client.end(), listener.end()]);
  await database.drop();
});

/** Waits for all notices of committed statements. */
async function settle(): Promise<void> {
  await client.query(`notify ${END}`);
  await until('the last notice', () => heard.includes(END));
  heard = heard.filter((one) => one !== END);
}

/** What these statements announce. */
async function announced(...statements: readonly string[]): Promise<string[]> {
  await settle();
  heard = [];
  for (const statement of statements) {
    await client.query(statement);
  }
  await settle();
  return heard;
}

async function list(query: string): Promise<unknown[]> {
  const { rows } = await client.query({ text: query, rowMode: 'array' });
  return rows.map((row) => (row.length === 1 ? row[0] : row));
}

const CREDENTIALS = 'gatefold_credentials ada';
const CATALOGUE = 'gatefold_task_catalogue';
const provider = (what: string, kind: string) =>
  `update ex_app_registration set fields = '{"name": "${what}"}' where kind = '${kind}'`;

describe('processes hear of', () => {
  it.each<[string, string, string[]]>([
    ['a changed account', `update account set is_admin = true`, [CREDENTIALS]],
    ['a removed account', `delete from account`, [CREDENTIALS]],
    ['a changed app password', `update app_password set token_hash = '2'`, [CREDENTIALS]],
    ['a removed app password', `delete from app_password`, [CREDENTIALS]],
    [
      'a task that waits',
      `insert into processing_task (type, consumer, input, deadline_at)
       values ('core:new', 'ada', '{}', 'infinity')`,
      ['gatefold_tasks core:new'],
    ],
    [
      'a task that waits again',
      `update processing_task set state = 'scheduled'`,
      ['gatefold_tasks core:text2text'],
    ],
    [
      'a task that has ended',
      `update processing_task set ended_at = now() where id = 1`,
      ['gatefold_task_ended 1'],
    ],
    ['a new setting', `insert into task_type_setting (type) values ('core:new')`, [CATALOGUE]],
    ['a changed setting', `update task_type_setting set enabled = false`, [CATALOGUE]],
    ['a removed setting', `delete from task_type_setting`, [CATALOGUE]],
    [
      'a new provider',
      `insert into ex_app_registration (app_id, kind, key, fields)
       values ('writer', 'task_processing', 'pen', '{}')`,
      [CATALOGUE],
    ],
    ['a changed provider', provider('Quill', 'task_processing'), [CATALOGUE]],
    [
      'an app without tasks that is disabled',
      `update ex_app set enabled = false where app_id = 'x'`,
      [],
    ],
    [
      'an app that is enabled',
      `update ex_app set enabled = not enabled where app_id = 'idle'`,
      [CATALOGUE],
    ],
    ['a removed reader', `delete from reader`, ['gatefold_reader_removed ada']],
  ])('%s', async (_what, statement, notices) => {
    await client.query(
      `insert into ex_app (app_id, name, version, base_url, secret_sealed) values ('idle', '', '', '', '')`,
    );

    expect(await announced(statement)).toEqual(notices);
  });

  it('a removed provider', async () => {
    await client.query('delete from processing_task');

    expect(await announced(`delete from ex_app_registration where key = 'quill'`)).toEqual([
      CATALOGUE,
    ]);
  });
});

describe('no process hears of', () => {
  it.each([
    ['a login', `update account set last_login_at = now()`],
    ['the use of an app password', `update app_password set last_used_at = now()`],
    ['the progress of a task', `update processing_task set progress = 0.5, state = 'running'`],
    [
      'a task that has no file yet',
      `insert into processing_task (type, consumer, input, deadline_at, state)
       values ('core:new', 'ada', '{}', 'infinity', 'uploading')`,
    ],
    ['a registration of another kind', provider('Quill', 'top_menu')],
    ['its removal', `delete from ex_app_registration where kind = 'top_menu'`],
    ['an app that is enabled again', `update ex_app set enabled = true`],
  ])('%s', async (_what, statement) => {
    expect(await announced(statement)).toEqual([]);
  });

  it('a task that ends a second time', async () => {
    await client.query('update processing_task set ended_at = now()');

    expect(await announced('update processing_task set ended_at = now()')).toEqual([]);
    expect(await announced('update processing_task set ended_at = null')).toEqual([]);
  });
});

describe('the tasks of an app', () => {
  const scheduled = () =>
    list(`select id::int from processing_task where state = 'scheduled' order by id`);

  it('wait again when it is disabled, as if it had never tried', async () => {
    await client.query('update processing_task set attempts = 0 where id = 2');

    await client.query(`update ex_app set enabled = false where app_id = 'writer'`);

    const query = `select id::int, attempts from processing_task where state = 'scheduled' order by id`;
    expect(await list(query)).toEqual([
      [1, 1],
      [2, 0],
    ]);
  });

  it('wait again when their provider is removed', async () => {
    await client.query(`delete from ex_app_registration where kind = 'task_processing'`);

    expect(await scheduled()).toEqual([1]);
  });

  it('stay with it when it is enabled again, and when it removes something of the same name', async () => {
    await client.query('update ex_app set enabled = true');
    await client.query(`delete from ex_app_registration where kind = 'top_menu'`);

    expect(await scheduled()).toEqual([]);
  });
});

describe('the wishes for events of news', () => {
  const wishes = () => list('select subtype from news_event_wish order by subtype');
  const listen = (app: string, fields: object) =>
    client.query(
      `insert into ex_app_registration (app_id, kind, key, fields)
       values ($1, 'events_listener', 'news_event', $2)`,
      [app, JSON.stringify(fields)],
    );

  it('are those of apps that are enabled, as long as they listen', async () => {
    await listen('writer', { eventSubtypes: ['FeedAddedEvent'] });
    await listen('listener', {});
    expect(await wishes()).toEqual(['*', 'FeedAddedEvent']);

    await client.query(`update ex_app_registration set fields = '{"eventSubtypes": ["A", "B"]}'
                         where app_id = 'writer' and kind = 'events_listener'`);
    expect(await wishes()).toEqual(['*', 'A', 'B']);

    await client.query(`update ex_app set enabled = false where app_id = 'writer'`);
    expect(await wishes()).toEqual(['*']);

    await client.query(`update ex_app set enabled = true where app_id = 'writer'`);
    await client.query(`delete from ex_app_registration where app_id = 'listener'`);
    expect(await wishes()).toEqual(['A', 'B']);

    await client.query('delete from ex_app');
    expect(await wishes()).toEqual([]);
  });

  it('outlast another app that stops to listen at the same moment', async () => {
    await listen('writer', {});
    const other = new Client(database.url);
    await other.connect();
    await client.query('begin');
    await listen('listener', {});

    let isOver = false;
    const removal = other
      .query(`delete from ex_app_registration where app_id = 'writer'`)
      .finally(() => (isOver = true));
    const waiting = `select from pg_locks where locktype = 'advisory' and not granted`;
    await until('the removal', async () => isOver || (await list(waiting)).length > 0);
    await client.query('commit');
    await removal;
    await other.end();

    expect(await wishes()).toEqual(['*']);
  });
});

describe('an event of news', () => {
  const FAILED = 'update source set error_count = 1';
  beforeEach(async () => {
    await client.query(`insert into news_event_wish values ('*')`);
  });

  it.each<[string, string[], string[]]>([
    [
      'a feed that is added',
      [
        `delete from subscription`,
        `insert into subscription (reader_id, source_id, url) values (1, 1, '')`,
      ],
      ['FeedRemovedEvent', 'FeedAddedEvent'],
    ],
    [
      'a feed that is marked for removal, comes back, and goes',
      [
        'update subscription set deleted_at = now()',
        'update subscription set deleted_at = null',
        'update subscription set deleted_at = now()',
        'delete from subscription',
      ],
      ['FeedRemovedEvent', 'FeedAddedEvent', 'FeedRemovedEvent'],
    ],
    [
      'a feed that fails, and works again',
      [FAILED, 'update source set error_count = 0'],
      ['FeedFailingEvent', 'FeedRecoveredEvent'],
    ],
    [
      'a feed that is gone, and back',
      ['update source set gone_at = now()', 'update source set gone_at = null'],
      ['FeedFailingEvent', 'FeedRecoveredEvent'],
    ],
  ])('is told of %s', async (_what, statements, subtypes) => {
    const notices = await announced(...statements);

    expect(await list('select subtype from news_event order by place')).toEqual(subtypes);
    expect(notices).toHaveLength(subtypes.length);
  });

  const MARKED = 'update subscription set deleted_at = now()';
  it.each([
    ['a feed that fails again', FAILED, 'update source set error_count = 2, gone_at = now()'],
    ['a feed that is gone and fails', 'update source set gone_at = now()', FAILED],
    ['a feed that works', 'select 1', 'update source set error_count = 0, gone_at = null'],
    ['a feed whose title changes', 'select 1', `update subscription set title = 'Sea'`],
    ['a feed that stays marked', MARKED, `update subscription set deleted_at = now() + '1 day'`],
    ['a marked feed that fails', MARKED, FAILED],
    [
      'a feed that is marked from the beginning',
      'delete from subscription',
      `insert into subscription (reader_id, source_id, url, deleted_at) values (1, 1, '', now())`,
    ],
  ])('is not told of %s', async (_what, before, statement) => {
    await client.query(`${before}; delete from news_event`);

    expect(await announced(statement)).toEqual([]);
    expect(await list('select subtype from news_event')).toEqual([]);
  });

  it('is neither recorded nor announced while no app wants it', async () => {
    await client.query(`update news_event_wish set subtype = 'FeedAddedEvent'`);

    expect(await announced(FAILED, 'delete from subscription')).toEqual([]);
    expect(await list('select subtype from news_event')).toEqual([]);
  });

  it('stands after those that are recorded, also after those of another clock', async () => {
    const future = 9_000_000_000_000_000;
    await client.query(`insert into news_event (reader_id, subtype, item_ids, place)
                        values (1, 'FeedAddedEvent', '{}', ${future})`);

    await client.query(FAILED);

    expect(await list('select place::text from news_event order by place')).toEqual([
      `${future}`,
      `${future + 1}`,
    ]);
  });
});

describe('what is left', () => {
  const blob = (digit: number) => `00000000-0000-0000-0000-00000000000${digit}`;
  const unreferenced = () => list('select blob_id from file_blob_unreferenced order by blob_id');

  it('of files are contents that no other file has', async () => {
    await client.query(
      `insert into file_node (name, parent_id, is_folder, mime, etag, mtime_seconds, blob_id)
       values ('', null, true, '', '', 0, null), ('a', 1, false, '', '', 0, $1),
              ('b', 1, false, '', '', 0, $1), ('c', 1, false, '', '', 0, $2), ('d', 1, true, '', '', 0, null)`,
      [blob(1), blob(2)],
    );

    await client.query(`delete from file_node where name in ('a', 'd')`);
    expect(await unreferenced()).toEqual([]);

    await client.query(`update file_node set blob_id = $1 where name = 'c'`, [blob(3)]);
    expect(await unreferenced()).toEqual([blob(2)]);

    await client.query(`delete from file_node where name = 'b'`);
    expect(await unreferenced()).toEqual([blob(1), blob(2)]);
  });

  it('of an upload are its pieces', async () => {
    await client.query(`insert into file_upload (user_id, name) values ('ada', 'film')`);
    await client.query(
      `insert into file_upload_piece (upload_id, name, size_bytes, blob_id) values (1, '1', 1, $1)`,
      [blob(4)],
    );

    await client.query('delete from file_upload');

    expect(await unreferenced()).toEqual([blob(4)]);
  });

  it('of sources are their articles', async () => {
    await client.query('delete from subscription');
    await client.query('delete from source');

    expect(await list('select source_id::int from removed_source')).toEqual([1]);
  });
});

it('a new reader has its id beside its name', async () => {
  expect(await list('select user_id, reader_id::int from reader_user')).toEqual([['ada', 1]]);
});
