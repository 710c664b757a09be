import type { Statement } from '../reader/items/item-list.sql.js';

/** `errors`: most in a row first; `due`: first what is due first; `title`: by the name shown. */
export type SourceOrder = 'errors' | 'due' | 'title';

/** A page of the sources that somebody follows. */
export interface SourceSelection {
  /** Part of a title or of an address as it is shown, in any case; empty finds all. */
  readonly search: string;
  readonly order: SourceOrder;
  readonly limit: number;
  readonly offset: number;
}

const FOLLOWED = 'exists (select from subscription s where s.source_id = source.id)';

/** Never in `url`: whoever can search for a secret can guess it letter by letter. */
const MATCHES = `(strpos(lower(source.title), lower($1)) > 0
                  or strpos(lower(source.shown_address), lower($1)) > 0)`;

const ORDERS: Readonly<Record<SourceOrder, string>> = {
  errors: 'source.error_count desc, source.id',
  due: 'source_schedule.due_at, source.id',
  title: "lower(left(coalesce(nullif(source.title, ''), source.shown_address), 100)), source.id",
};

/**
 * The ids of a page. Walks source_error_count_index, source_schedule_due_at_index or
 * source_shown_name_index and stops at the limit; a search reads every source until it has enough.
 */
export function sourcePage({ search, order, limit, offset }: SourceSelection): Statement {
  const schedule =
    order === 'due' ? 'join source_schedule on source_schedule.source_id = source.id' : '';
  return {
    sql: `
      select source.id from source ${schedule}
       where ${FOLLOWED} and ($1 = '' or ${MATCHES})
       order by ${ORDERS[order]} limit $2 offset $3`,
    params: [search, limit, offset],
  };
}

/**
 * How many sources there are. Failing and overdue ones are found by index; the whole is counted,
 * about 0.2 s for 100,000 of them, and what is searched for is read.
 */
export function sourceTotals(search: string): Statement {
  return {
    sql: `
      select extract(epoch from now())::bigint as "nowSeconds", counted.*,
             (select count(*) from source
               where source.error_count > 0 and ${FOLLOWED})::int as failing,
             (select count(*) from source_schedule join source on source.id = source_id
               where due_at <= now() and ${FOLLOWED})::int as overdue
        from (select count(*)::int as all,
                     (count(*) filter (where $1 = '' or ${MATCHES}))::int as found
                from source where ${FOLLOWED}) counted`,
    params: [search],
  };
}
