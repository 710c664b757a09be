/** Runs SQL text with `$1` placeholders; arrays are bound as PostgreSQL arrays. */
export interface SqlRunner {
  query<Row>(sql: string, params?: readonly unknown[]): Promise<Row[]>;
}
