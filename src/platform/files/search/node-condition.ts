/** Columns that a search compares and orders by. */
export type SearchField =
  | 'id'
  | 'name'
  | 'mime'
  | 'sizeBytes'
  | 'mtimeSeconds'
  | 'createdSeconds'
  | 'uploadedSeconds'
  | 'favorite';

export type Comparison = '=' | '<' | '>' | '<=' | '>=';

/** The `where` of a search. */
export type NodeCondition =
  | { readonly kind: 'all' | 'any'; readonly parts: readonly NodeCondition[] }
  | { readonly kind: 'not'; readonly part: NodeCondition }
  | {
      readonly kind: 'compare';
      readonly field: SearchField;
      readonly comparison: Comparison;
      readonly value: string | number | boolean;
    }
  /** `%` matches any text, `_` one character; case-insensitive. */
  | { readonly kind: 'like'; readonly field: 'name' | 'mime'; readonly pattern: string }
  | { readonly kind: 'isFolder' };

export interface SearchOrder {
  readonly field: SearchField;
  readonly descending: boolean;
}

const COLUMN_OF: Readonly<Record<SearchField, string>> = {
  id: 'n.id',
  name: 'n.name',
  mime: 'n.mime',
  sizeBytes: 'n.size_bytes',
  mtimeSeconds: 'n.mtime_seconds',
  createdSeconds: 'n.created_seconds',
  uploadedSeconds: 'n.uploaded_seconds',
  favorite: 'n.favorite',
};

/**
 * @param values parameters of the statement so far; those of the condition are appended
 * @returns a SQL condition on the node `n`
 */
export function conditionSql(condition: NodeCondition, values: unknown[]): string {
  switch (condition.kind) {
    case 'all':
    case 'any': {
      const parts = condition.parts.map((part) => conditionSql(part, values));
      return parts.length === 0
        ? String(condition.kind === 'all')
        : `(${parts.join(condition.kind === 'all' ? ' and ' : ' or ')})`;
    }
    case 'not':
      return `not ${conditionSql(condition.part, values)}`;
    case 'compare':
      return `${COLUMN_OF[condition.field]} ${condition.comparison} $${values.push(condition.value)}`;
    case 'like':
      // The column has a byte-wise collation, which knows upper and lower case of A to Z only.
      return (
        `${COLUMN_OF[condition.field]} collate "default"` +
        ` ilike $${values.push(condition.pattern)} escape ''`
      );
    case 'isFolder':
      return 'n.is_folder';
  }
}

/** Ends with the id, so that pages are stable. */
export function orderSql(order: readonly SearchOrder[]): string {
  return [
    ...order.map(({ field, descending }) => `${COLUMN_OF[field]} ${descending ? 'desc' : 'asc'}`),
    'n.id',
  ].join(', ');
}
