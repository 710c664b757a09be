import { Injectable } from '@nestjs/common';
import { countUpTo } from '../../../database/count-up-to.js';
import { Database, type SqlRunner } from '../../../database/database.js';
import { selectList, type RowOf } from '../../../database/select-list.js';
import { SavedSearchEntity } from '../../tables/saved-search.entity.js';

const SEARCH = selectList(SavedSearchEntity, 'saved_search', ['id', 'name', 'query', 'inClients']);

export type SavedSearch = RowOf<typeof SEARCH>;

/** The searches that a user keeps. */
@Injectable()
export class SavedSearchesRepository {
  constructor(private readonly database: Database) {}

  /** Sorted by name. */
  async list(readerId: number): Promise<SavedSearch[]> {
    return this.database.query<SavedSearch>(
      `select ${SEARCH} from saved_search where reader_id = $1 order by lower(name), id`,
      [readerId],
    );
  }

  /** Counts no further than `most`. */
  async count(readerId: number, most: number, tx: SqlRunner): Promise<number> {
    return countUpTo(tx, 'saved_search where reader_id = $1', [readerId], most);
  }

  async create(
    readerId: number,
    { name, query, inClients }: Omit<SavedSearch, 'id'>,
    tx: SqlRunner,
  ): Promise<number> {
    const [search] = await tx.query<{ id: number }>(
      `insert into saved_search (reader_id, name, query, in_clients) values ($1, $2, $3, $4)
       returning id`,
      [readerId, name, JSON.stringify(query), inClients],
    );
    return search?.id ?? 0;
  }

  async change(
    readerId: number,
    { id, name, query, inClients }: SavedSearch,
    tx: SqlRunner,
  ): Promise<void> {
    await tx.query(
      `update saved_search set name = $3, query = $4, in_clients = $5
        where reader_id = $1 and id = $2`,
      [readerId, id, name, JSON.stringify(query), inClients],
    );
  }

  async remove(readerId: number, id: number, tx: SqlRunner): Promise<void> {
    await tx.query('delete from saved_search where reader_id = $1 and id = $2', [readerId, id]);
  }
}
