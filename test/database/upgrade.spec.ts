import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { MikroORM } from '@mikro-orm/postgresql';
import { randomBytes } from 'node:crypto';
import { migrate } from '../../src/database/migrate.js';
import { MIGRATIONS } from '../../src/database/migrations/all.js';
import { ormConfig } from '../../src/database/orm.config.js';
import { dropDatabase, urlOfDatabase } from '../support/test-database.js';

/** The last migration before files, conversations and sessions. */
const BEFORE = MIGRATIONS.findIndex(({ name }) => name === 'Migration0007Notifications') + 1;

let name: string;
beforeEach(() => {
  name = `gatefold_upgrade_${randomBytes(8).toString('hex')}`;
});
afterEach(() => dropDatabase(name));

async function withVersion<Result>(
  migrations: typeof MIGRATIONS,
  work: (orm: MikroORM) => Promise<Result>,
): Promise<Result> {
  const config = ormConfig({ url: urlOfDatabase(name) }, [], 4);
  const orm = await MikroORM.init({
    ...config,
    migrations: { ...config.migrations, migrationsList: migrations },
  });
  try {
    await migrate(orm);
    return await work(orm);
  } finally {
    await orm.close();
  }
}

describe('a database of an earlier version', () => {
  it('is upgraded with all data', async () => {
    await withVersion(MIGRATIONS.slice(0, BEFORE), async (orm) => {
      await orm.em.getConnection().execute(`
        insert into account (user_id, display_name, password_hash) values ('ada', 'Ada', 'x');
        insert into ex_app (app_id, name, version, base_url, secret_sealed)
          values ('ears', 'Ears', '1.0.0', 'http://127.0.0.1:1', '');
        insert into ex_app (app_id, name, version, base_url, secret_sealed, status)
          values ('mute', 'Mute', '1.0.0', 'http://127.0.0.1:1', '',
                  '{"type": "install", "action": "", "error": "Heartbeat check failed"}');
        insert into ex_app_task (app_id, kind, provider_name, user_id, input, file, deadline_at)
          values ('ears', 'speech_to_text', 'ears', 'ada', '{}', 'recording', now()),
                 ('ears', 'translation', 'ears', 'ada', '{}', null, now());
        insert into notification (user_id, app_id, object_type, object_id, subject, message, link)
          values ('ada', 'ears', 'a', 'b', '{}', '{}', '');
        insert into gateway_failure (network, failed_at) values ('192.0.2.7', now());
      `);
    });

    const kept = await withVersion(MIGRATIONS, (orm) =>
      orm.em.getConnection().execute<object[]>(`
        select t.kind, t.state, t.started_at = t.created_at as started,
               convert_from(p.bytes, 'UTF8') as recording,
               (select count(*)::int from account where email is null) as accounts,
               (select count(*)::int from notification) as notifications,
               (select status->>'type' from ex_app where app_id = 'mute') as mute,
               (select count(*)::int from gateway_failure where claim_hash = '') as failures
          from ex_app_task t left join ex_app_task_piece p on p.task_id = t.id order by t.id`),
    );

    const both = {
      state: 'running',
      started: true,
      accounts: 1,
      notifications: 1,
      mute: 'install failed',
      failures: 1,
    };
    expect(kept).toEqual([
      { kind: 'speech_to_text', recording: 'recording', ...both },
      { kind: 'translation', recording: null, ...both },
    ]);
  });
});
