import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { MikroORM } from '@mikro-orm/postgresql';
import { ormConfig } from '../../src/database/connections/orm.config.js';
import { migrate } from '../../src/database/migrate.js';
import { MIGRATIONS } from '../../src/database/migrations/all.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

describe('the database of a test', () => {
  let database: TestDatabase;
  let orm: MikroORM;

  beforeEach(async () => {
    database = await createTestDatabase();
    orm = await MikroORM.init(ormConfig(database.address, [], 4));
  });

  afterEach(async () => {
    await orm.close();
    await database.drop();
  });

  it('has the current schema', async () => {
    expect(MIGRATIONS.length).toBeGreaterThan(0);
    expect(await migrate(orm)).toEqual([]);
  });
});
