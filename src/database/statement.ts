/** SQL text with `$1` placeholders and its values, for statements that are put together from parts. */
export interface Statement {
  readonly sql: string;
  readonly params: readonly unknown[];
}
