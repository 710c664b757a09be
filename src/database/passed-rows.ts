/*
 * Rows that one statement finds and another one uses, where a single statement cannot do both: tables on
 * several servers cannot always be joined. Passed as arrays of columns in text form, without decoding.
 */

/** Names of columns, with their types. */
export type PassedColumns = Readonly<Record<string, string>>;

/** The texts of each part's columns, in order. */
export type PassedRows<Part extends string = string> = Readonly<Record<Part, readonly string[]>>;

const EMPTY = '{}';

export function isEmpty(rows: readonly string[]): boolean {
  return rows[0] === EMPTY;
}

/** SQL of a list of columns, `PassedRows`, of the CTEs with these names. */
export function passed(parts: Readonly<Record<string, PassedColumns>>): string {
  return Object.entries(parts)
    .map(
      ([part, columns]) =>
        `(select array[${Object.keys(columns)
          .map((column) => `coalesce(array_agg(${column})::text, '${EMPTY}')`)
          .join(', ')}] from ${part}) as ${part}`,
    )
    .join(', ');
}

/** SQL of such rows as an item of `from` with this alias; parameters begin with the one of this number. */
export function unnested(alias: string, columns: PassedColumns, first: number): string {
  const arrays = Object.values(columns).map((type, n) => `$${first + n}::${type}[]`);
  return `unnest(${arrays.join(', ')}) as ${alias} (${Object.keys(columns).join(', ')})`;
}

/** SQL of the CTE of such rows. */
export function given(part: string, columns: PassedColumns, first: number): string {
  return `${part} as materialized (select * from ${unnested('given', columns, first)})`;
}
