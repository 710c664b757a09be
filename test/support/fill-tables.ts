import type { Client } from 'pg';

interface Column {
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
}

interface Reference {
  readonly columns: readonly string[];
  readonly target: string;
  readonly targetColumns: readonly string[];
}

interface Table {
  readonly name: string;
  readonly columns: readonly Column[];
  readonly references: readonly Reference[];
}

/** The column stays null or gets its default. */
export const OMITTED = Symbol('omitted');

/** The column refers to the newest row, also in a row with the required columns only. */
export const REFERRING = Symbol('referring');

/**
 * Values of columns that a check restricts, by `table.column`; in every row, unless a function tells
 * that of a row with all columns from that of one with the required columns.
 */
export type FixedValues = Readonly<
  Record<string, string | number | boolean | Date | symbol | ((isFull: boolean) => unknown)>
>;

/** Fills tables of any version of the schema with invented rows. */
export class TableFiller {
  #n = 0;

  constructor(
    private readonly client: Client,
    private readonly fixed: FixedValues,
  ) {}

  /**
   * Adds to every table a row with all columns and one with the required columns only, as far as
   * unique columns permit it.
   *
   * @throws Error naming the table and the values of a row that it refuses
   */
  async fill(): Promise<void> {
    const tables = await this.#tables();
    for (const table of inOrder(tables)) {
      await this.#insert(table, false);
      await this.#insert(table, true);
    }
  }

  /** Numbers of rows by table. */
  async count(): Promise<Map<string, number>> {
    const counts = new Map<string, number>();
    for (const { name } of await this.#tables()) {
      const { rows } = await this.client.query<{ n: number }>(
        `select count(*)::int as n from ${name}`,
      );
      counts.set(name, rows[0]?.n ?? 0);
    }
    return counts;
  }

  async #insert(table: Table, isFull: boolean): Promise<void> {
    this.#n += 1;
    const fixed = (column: string) => this.fixed[`${table.name}.${column}`];
    const isWanted = ({ name, isRequired }: Column) =>
      fixed(name) !== OMITTED && (isFull || isRequired || fixed(name) !== undefined);
    const wanted = table.columns.filter(isWanted);
    const values = new Map<string, unknown>();
    const taken = new Set(table.references.flatMap(({ columns }) => columns));
    for (const reference of table.references) {
      if (wanted.some(({ name }) => reference.columns.includes(name))) {
        await this.#refer(reference, values);
      }
    }
    for (const { name, type } of wanted) {
      if (!taken.has(name)) {
        const value = fixed(name);
        const given = typeof value === 'function' ? value(isFull) : value;
        values.set(name, given === undefined ? this.#invent(type) : given);
      }
    }
    await this.#run(table, values);
  }

  async #run({ name }: Table, values: ReadonlyMap<string, unknown>): Promise<void> {
    const columns = [...values.keys()].map((column) => `"${column}"`).join(', ');
    const places = [...values.keys()].map((_, index) => `$${index + 1}`).join(', ');
    try {
      await this.client.query(
        values.size === 0
          ? `insert into ${name} default values on conflict do nothing`
          : `insert into ${name} (${columns}) values (${places}) on conflict do nothing`,
        [...values.values()],
      );
    } catch (error) {
      const given = JSON.stringify(Object.fromEntries(values));
      throw new Error(`${name}: ${(error as Error).message}: ${given}`, { cause: error });
    }
  }

  /** Refers to the newest row. */
  async #refer(reference: Reference, values: Map<string, unknown>): Promise<void> {
    const columns = reference.targetColumns.map((column) => `"${column}"`).join(', ');
    const { rows } = await this.client.query<Record<string, unknown>>(
      `select ${columns} from ${reference.target} order by ctid desc limit 1`,
    );
    reference.columns.forEach((column, index) => {
      if (!values.has(column) && rows[0] !== undefined) {
        values.set(column, rows[0][reference.targetColumns[index] ?? '']);
      }
    });
  }

  #invent(type: string): unknown {
    const n = this.#n;
    switch (type) {
      case 'bigint':
      case 'integer':
      case 'smallint':
      case 'real':
      case 'double precision':
      case 'numeric':
        return n % 30_000;
      case 'text':
      case 'character varying':
        return `text ${n}`;
      case 'bytea':
        return Buffer.from(`bytes ${n}`);
      case 'boolean':
        return false;
      case 'uuid':
        return `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
      case 'json':
      case 'jsonb':
        return JSON.stringify({ n });
      case 'date':
      case 'timestamp with time zone':
      case 'timestamp without time zone':
        return new Date(1_700_000_000_000 + n);
      case 'tsvector':
        return `word${n}`;
      case 'inet':
        return '192.0.2.7';
      default:
        return type.endsWith('[]') ? [] : null;
    }
  }

  async #tables(): Promise<Table[]> {
    const { rows } = await this.client.query<Table>(
      `select c.relname as name,
              (select json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, null),
                                                 'isRequired', a.attnotnull and not a.atthasdef)
                               order by a.attnum)
                 from pg_attribute a
                where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
                  and a.attgenerated = '' and a.attidentity = '') as columns,
              coalesce((select json_agg(json_build_object(
                          'target', f.confrelid::regclass::text,
                          'columns', (select json_agg(a.attname order by k.n)
                                        from unnest(f.conkey) with ordinality k (num, n)
                                        join pg_attribute a on a.attrelid = f.conrelid and a.attnum = k.num),
                          'targetColumns', (select json_agg(a.attname order by k.n)
                                        from unnest(f.confkey) with ordinality k (num, n)
                                        join pg_attribute a on a.attrelid = f.confrelid and a.attnum = k.num))
                          order by array_length(f.conkey, 1) desc)
                 from pg_constraint f where f.conrelid = c.oid and f.contype = 'f'), '[]') as references
         from pg_class c
        where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
          and not c.relispartition and c.relname <> 'migration'`,
    );
    return rows.map((table) => ({ ...table, columns: table.columns ?? [] }));
  }
}

/** Tables after those that they refer to. */
function inOrder(tables: readonly Table[]): Table[] {
  const left = new Map(tables.map((table) => [table.name, table]));
  const sorted: Table[] = [];
  while (left.size > 0) {
    const ready = [...left.values()].filter(({ name, references }) =>
      references.every(({ target }) => target === name || !left.has(target)),
    );
    const next = ready.length > 0 ? ready : [...left.values()].slice(0, 1);
    for (const table of next) {
      left.delete(table.name);
      sorted.push(table);
    }
  }
  return sorted;
}
