// Filters of RFC 7644 section 3.4.2.2 as conditions in SQL, so that a directory of any size is searched
// by the database. Values are parameters; only the map's attributes are allowed.
import { parse, type Filter } from 'scim2-parse-filter';
import { InvalidScim } from './scim.errors.js';

/** An attribute in SQL. Texts are compared without regard to case unless `exact`. */
interface FilterColumn {
  readonly sql: string;
  readonly type: 'text' | 'exact' | 'boolean' | 'time';
}

/** Keyed by name in lower case, with dots for parts of attributes. */
export type FilterColumns = ReadonlyMap<string, FilterColumn>;

/** Columns of `scim_user s` and `account a`. */
export const USER_COLUMNS: FilterColumns = new Map([
  ['id', { sql: 's.id::text', type: 'exact' }],
  ['externalid', { sql: 's.external_id', type: 'exact' }],
  ['username', { sql: 's.user_id', type: 'text' }],
  ['displayname', { sql: 'a.display_name', type: 'text' }],
  ['name.formatted', { sql: 'a.display_name', type: 'text' }],
  ['name.givenname', { sql: 's.given_name', type: 'text' }],
  ['name.familyname', { sql: 's.family_name', type: 'text' }],
  ['emails', { sql: 'a.email', type: 'text' }],
  ['emails.value', { sql: 'a.email', type: 'text' }],
  ['emails.type', { sql: `case when a.email is not null then 'work' end`, type: 'text' }],
  ['emails.primary', { sql: 'a.email is not null', type: 'boolean' }],
  ['active', { sql: 'a.disabled_at is null', type: 'boolean' }],
  ['meta.created', { sql: 's.created_at', type: 'time' }],
  ['meta.lastmodified', { sql: 's.changed_at', type: 'time' }],
]);

/** Columns of `scim_group s` and `account_group g`. */
export const GROUP_COLUMNS: FilterColumns = new Map([
  ['id', { sql: 's.id::text', type: 'exact' }],
  ['externalid', { sql: 's.external_id', type: 'exact' }],
  ['displayname', { sql: 'g.display_name', type: 'text' }],
  ['meta.created', { sql: 's.created_at', type: 'time' }],
  ['meta.lastmodified', { sql: 's.changed_at', type: 'time' }],
]);

const MOST_DEPTH = 20;

const COMPARISONS: Readonly<Record<string, string>> = {
  eq: '=',
  ne: 'is distinct from',
  gt: '>',
  ge: '>=',
  lt: '<',
  le: '<=',
};

/**
 * @param params gets the values
 * @returns a condition; always true without a filter
 */
export function conditionOf(
  filter: string | undefined,
  columns: FilterColumns,
  params: unknown[],
): string {
  return filter === undefined || filter.trim() === ''
    ? 'true'
    : new Condition(columns, params).of(parsed(filter), '', 0);
}

function parsed(filter: string): Filter {
  try {
    return parse(filter);
  } catch {
    throw new InvalidScim(
      'invalidFilter',
      'The filter cannot be read; see RFC 7644 section 3.4.2.2.',
    );
  }
}

class Condition {
  constructor(
    private readonly columns: FilterColumns,
    private readonly params: unknown[],
  ) {}

  /** @param within the parent attribute of the filter's names, with a dot */
  of(filter: Filter, within: string, depth: number): string {
    if (depth > MOST_DEPTH) {
      throw new InvalidScim('invalidFilter', `The filter is nested more than ${MOST_DEPTH} deep.`);
    }
    switch (filter.op) {
      case 'and':
      case 'or':
        return `(${filter.filters.map((one) => this.of(one, within, depth + 1)).join(` ${filter.op} `)})`;
      case 'not':
        return `not (${this.of(filter.filter, within, depth + 1)})`;
      case '[]':
        return this.of(filter.valFilter, `${filter.attrPath}.`, depth + 1);
      case 'pr':
        return `(${this.#column(within + filter.attrPath).sql}) is not null`;
      default:
        return this.#comparison(filter.op, within + filter.attrPath, filter.compValue);
    }
  }

  #comparison(op: string, path: string, value: boolean | null | number | string): string {
    const { sql, type } = this.#column(path);
    if (value === null) {
      return op === 'eq' ? `(${sql}) is null` : `(${sql}) is not null`;
    }
    const isPart = op === 'co' || op === 'sw' || op === 'ew';
    if (type === 'boolean' || type === 'time') {
      const comparison = COMPARISONS[op];
      if (comparison === undefined || isPart) {
        throw new InvalidScim('invalidFilter', `The attribute "${path}" has no parts to compare.`);
      }
      return `(${sql}) ${comparison} ${this.#value(valueOf(value, type, path))}`;
    }
    const text = (expression: string) => (type === 'exact' ? expression : `lower(${expression})`);
    const given = text(`${this.#value(String(value))}::text`);
    switch (op) {
      case 'co':
        return `strpos(${text(sql)}, ${given}) > 0`;
      case 'sw':
        return `starts_with(${text(sql)}, ${given})`;
      case 'ew':
        return `right(${text(sql)}, length(${given})) = ${given}`;
      default:
        return `${text(sql)} ${COMPARISONS[op] ?? '='} ${given}`;
    }
  }

  #column(path: string): FilterColumn {
    const plain = path.replace(/^urn:[^ ]*:(?=[^:]+$)/, '').toLowerCase();
    const column = this.columns.get(plain);
    if (column === undefined) {
      throw new InvalidScim('invalidFilter', `There is no search by the attribute "${path}".`);
    }
    return column;
  }

  #value(value: unknown): string {
    this.params.push(value);
    return `$${this.params.length}`;
  }
}

function valueOf(
  value: boolean | number | string,
  type: 'boolean' | 'time',
  path: string,
): boolean | string {
  if (type === 'boolean' && /^(?:true|false)$/i.test(String(value))) {
    return String(value).toLowerCase() === 'true';
  }
  if (type === 'time' && typeof value === 'string' && !Number.isNaN(Date.parse(value))) {
    return new Date(value).toISOString();
  }
  throw new InvalidScim('invalidFilter', `"${value}" is no value of the attribute "${path}".`);
}
