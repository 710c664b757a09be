import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MikroORM, type EntityMetadata } from '@mikro-orm/postgresql';
import { roomsWith } from '../../src/app.module.js';
import { PART_NAMES } from '../../src/common/config/parts.js';
import { declaredBy } from '../../src/common/subjects/subject.js';
import { ormConfig } from '../../src/database/connections/orm.config.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

interface Column {
  readonly table: string;
  readonly column: string;
  readonly type: string;
  readonly nullable: boolean;
  readonly primary: boolean;
  readonly hasDefault: boolean;
}

let testDatabase: TestDatabase;
let orm: MikroORM;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  const { entities } = declaredBy(await roomsWith(new Set(PART_NAMES)));
  orm = await MikroORM.init(ormConfig(testDatabase.address, entities, 4));
});

afterAll(async () => {
  await orm?.close();
  await testDatabase?.drop();
});

describe('the entities describe the tables that the migrations make:', () => {
  it('one entity for every table except the list of migrations', async () => {
    const tables = new Set((await migratedColumns()).map(({ table }) => table));
    tables.delete('migration');

    expect(
      entities()
        .map(({ tableName }) => tableName)
        .sort(),
    ).toEqual([...tables].sort());
  });

  it('each column with its type, whether it may be null, its key and its default', async () => {
    const migrated = await migratedColumns();

    const keyed = new Set(migrated.flatMap(({ table, primary }) => (primary ? [table] : [])));
    const described = entities()
      .flatMap(columnsOf)
      .map((column) => ({ ...column, primary: column.primary && keyed.has(column.table) }));
    expect(described.map(asLine).sort()).toEqual(
      migrated
        .filter(({ table }) => table !== 'migration')
        .map(asLine)
        .sort(),
    );
  });
});

function entities(): EntityMetadata[] {
  return [...orm.getMetadata().getAll().values()];
}

function columnsOf({ tableName, props }: EntityMetadata): Column[] {
  return props.map((property) => ({
    table: tableName,
    column: property.fieldNames[0] ?? '',
    type: (property.columnTypes[0] ?? '').replace(/\(\d+\)/, '').replace('bigserial', 'bigint'),
    nullable: property.nullable === true,
    primary: property.primary === true,
    hasDefault: property.defaultRaw !== undefined || property.generated !== undefined,
  }));
}

async function migratedColumns(): Promise<Column[]> {
  return orm.em.getConnection().execute<Column[]>(`
    select t.relname as "table", a.attname as "column",
           case format_type(a.atttypid, null) when 'timestamp with time zone' then 'timestamptz'
             when 'integer' then 'int' when 'integer[]' then 'int[]'
             else format_type(a.atttypid, null) end as "type",
           not a.attnotnull as "nullable",
           exists (select from pg_index i
                    where i.indrelid = t.oid and i.indisprimary
                      and a.attnum = any(i.indkey::int2[])) as "primary",
           a.atthasdef or a.attidentity <> '' as "hasDefault"
      from pg_class t join pg_attribute a on a.attrelid = t.oid
     where t.relnamespace = 'public'::regnamespace and t.relkind in ('r', 'p')
       and a.attnum > 0 and not a.attisdropped`);
}

function asLine({ table, column, type, nullable, primary, hasDefault }: Column): string {
  return [
    `${table}.${column} ${type}`,
    nullable ? '' : ' not null',
    primary ? ' primary key' : '',
    hasDefault ? ' with a default' : '',
  ].join('');
}
