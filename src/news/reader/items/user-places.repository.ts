import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../../database/database.js';
import { prepared } from '../../../database/prepared.js';
import type { Place, Query, UserPlaces } from '../../query/query.js';

interface PlaceRow extends Place {
  readonly of: keyof UserPlaces;
  /** Of a saved search. */
  readonly query: Query | null;
}

const PLACES = prepared(
  'user-places',
  `select 'feed' as of, s.id, coalesce(s.title, source.title) as name, null::jsonb as query
     from subscription s join source on source.id = s.source_id
    where s.reader_id = $1 and s.deleted_at is null
   union all
   select 'folder', id, name, null from folder where reader_id = $1 and deleted_at is null
   union all
   select 'label', id, name, null from label where reader_id = $1
   union all
   select 'search', id, name, query from saved_search where reader_id = $1`,
);

/** The places of a user that queries name: feeds, folders, labels and saved searches. */
@Injectable()
export class UserPlacesRepository {
  constructor(private readonly database: Database) {}

  /** Without those marked for deletion. @param tx to read in a transaction */
  async placesOf(readerId: number, tx: SqlRunner = this.database): Promise<UserPlaces> {
    const rows = await tx.query<PlaceRow>(PLACES, [readerId]);
    const of = (kind: PlaceRow['of']) => rows.filter((row) => row.of === kind);
    return {
      feed: of('feed'),
      folder: of('folder'),
      label: of('label'),
      search: of('search').map(({ id, name, query }) => ({
        id,
        name,
        query: query ?? { kind: 'everything' },
      })),
    };
  }
}
