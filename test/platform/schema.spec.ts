import { MikroORM } from '@mikro-orm/postgresql';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ormConfig } from '../../src/database/orm.config.js';
import { PLATFORM_ENTITIES } from '../../src/platform/platform.module.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

let testDatabase: TestDatabase;
let orm: MikroORM;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  orm = await MikroORM.init(ormConfig(testDatabase.address, PLATFORM_ENTITIES, 4));
});

afterAll(async () => {
  await orm?.close();
  await testDatabase?.drop();
});

it('the entities describe the tables that the migrations make', async () => {
  const sql = await orm.schema.getUpdateSchemaSQL({ dropTables: false });

  const ownTables = sql.split('\n').filter((line) => /"(account|app_password)"/.test(line));
  expect(ownTables).toEqual([]);
});
