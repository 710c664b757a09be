/** SQL text with `$1` placeholders and its values, for composed statements. */
export interface Statement {
  readonly sql: string;
  readonly params: readonly unknown[];
}
