import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MikroORM } from '@mikro-orm/postgresql';
import { Logger } from '@nestjs/common';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Client } from 'pg';
import { StartRefused } from '../../src/common/errors/start-refused.js';
import { ormConfig } from '../../src/database/connections/orm.config.js';
import { migrate } from '../../src/database/migrate.js';
import { itLong } from '../support/long.js';
import { runCommand } from '../support/run-command.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import {
  createTestDatabase,
  dropDatabase,
  queryServer,
  urlOfDatabase,
  type TestDatabase,
} from '../support/test-database.js';
import { aTransactionPooler } from '../support/transaction-pooler.js';

let database: TestDatabase;
let client: Client;
beforeAll(async () => {
  Logger.overrideLogger(false);
  database = await createTestDatabase();
  client = new Client(database.url);
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

async function withOrm<Result>(
  url: string,
  work: (orm: MikroORM) => Promise<Result>,
): Promise<Result> {
  const orm = await MikroORM.init(ormConfig({ url }, [], 4));
  try {
    return await work(orm);
  } finally {
    await orm.close();
  }
}

const start = (options = {}) => withOrm(database.url, (orm) => migrate(orm, options));

describe('a schema of a newer version', () => {
  beforeAll(() => client.query(`insert into migration (name) values ('9999-future')`));
  afterAll(() => client.query(`delete from migration where name = '9999-future'`));

  it('is rejected with a message that names unknown migrations', async () => {
    const refused = await start().catch((error: unknown) => error);

    expect(refused).toBeInstanceOf(StartRefused);
    expect((refused as Error).message).toMatch(
      /migrated by a newer version of Gatefold \(unknown: 9999-future\)/,
    );
  });

  it('is accepted if the operator allows it', async () => {
    expect(await start({ allowNewerSchema: true })).toEqual([]);
  });

  it('stops the service with that message, without a stack trace', async () => {
    const refused = await runCommand(['serve'], { DATABASE_URL: database.url });

    expect(refused.code).toBe(1);
    expect(refused.complaints).toContain('GATEFOLD_ALLOW_NEWER_SCHEMA=on');
    expect(refused.complaints).not.toMatch(/^ +at /m);
  });
});

describe('a data folder that cannot be used', () => {
  it('is named in one sentence, without a stack trace', async () => {
    const folder = await temporaryFolder('no-folder');
    const file = path.join(folder, 'file');
    await writeFile(file, '');

    const refused = await runCommand(['serve'], {
      DATABASE_URL: '',
      GATEFOLD_DATA_DIR: path.join(file, 'data'),
    });
    await rm(folder, { recursive: true });

    expect(refused.code).toBe(1);
    expect(refused.complaints).toMatch(
      /^\S+: a part of its path is not a folder\. Mend that, or set GATEFOLD_DATA_DIR .*\n$/,
    );
  });
});

describe('a read-only database', () => {
  it('is rejected at the start', async () => {
    const name = new URL(database.url).pathname.slice(1);
    await queryServer(`alter database "${name}" set default_transaction_read_only = on`);

    await expect(start()).rejects.toThrow(/read-only.*let DATABASE_URL name the primary/);

    await queryServer(`alter database "${name}" reset default_transaction_read_only`);
  });
});

describe('a pooler that shares sessions between transactions', () => {
  it('is rejected at the start', async () => {
    const pooler = await aTransactionPooler(database.url);
    try {
      await expect(withOrm(pooler.url, (orm) => migrate(orm))).rejects.toThrow(
        /pool_mode = session/,
      );
    } finally {
      await pooler.close();
    }
  });
});

describe('the lock of the migrations', () => {
  const LOCK = 4_706_001;

  it('times out with a message when another process holds it', async () => {
    await client.query('select pg_advisory_lock($1)', [LOCK]);

    await expect(start({ waitSeconds: 0 })).rejects.toThrow(/Another process has been migrating/);
    await client.query('select pg_advisory_unlock($1)', [LOCK]);
  });

  it('is taken once the other process has finished', async () => {
    await client.query('select pg_advisory_lock($1)', [LOCK]);
    const started = start();
    await client.query('select pg_advisory_unlock($1)', [LOCK]);

    expect(await started).toEqual([]);
  });

  itLong('lets three processes create a missing database together', async () => {
    const name = `${new URL(database.url).pathname.slice(1)}_missing`;
    try {
      const done = await Promise.all(
        [1, 2, 3].map(() => withOrm(urlOfDatabase(name), (orm) => migrate(orm))),
      );

      expect(done.filter((migrations) => migrations.length > 0)).toHaveLength(1);
      const versions = await withOrm(urlOfDatabase(name), (orm) =>
        orm.em.getConnection().execute('select version from job.version'),
      );
      expect(versions).toHaveLength(1);
    } finally {
      await dropDatabase(name);
    }
  });
});
