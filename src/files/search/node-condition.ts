/** What is compared when files are searched for. */
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

/** What a node must be like to be found. */
export type NodeCondition =
  | { readonly kind: 'all' | 'any'; readonly parts: readonly NodeCondition[] }
  | { readonly kind: 'not'; readonly part: NodeCondition }
  | {
      readonly kind: 'compare';
      readonly field: SearchField;
      readonly comparison: Comparison;
      readonly value: string | number | boolean;
    }
  /** `%` stands for anything, `_` for one character; letter case does not matter. */
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
 * @param values takes what the condition compares with, behind the parameters that are there
 * @returns a condition about the node `n`
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
      // Names are kept in the order of their bytes, in which only A to Z have small letters.
      return (
        `${COLUMN_OF[condition.field]} collate "default"` +
        ` ilike $${values.push(condition.pattern)} escape ''`
      );
    case 'isFolder':
      return 'n.is_folder';
  }
}

/** The id comes last: of what is equal otherwise, nothing is found twice or missed. */
export function orderSql(order: readonly SearchOrder[]): string {
  return [
    ...order.map(({ field, descending }) => `${COLUMN_OF[field]} ${descending ? 'desc' : 'asc'}`),
    'n.id',
  ].join(', ');
}
