import type { SqlRunner } from '../../database/database.js';
import { selectList, type RowOf } from '../../database/select-list.js';
import { IconEntity } from './icon.entity.js';

const ICON_ROW = selectList(IconEntity, 'icon', ['mime', 'bytes']);

export type Icon = RowOf<typeof ICON_ROW>;

/** The source of the reader's feed whose address has this MD5; reads the reader's subscriptions. */
export async function sourceByAddressHash(
  runner: SqlRunner,
  readerId: number,
  addressHash: string,
): Promise<number | null> {
  const [row] = await runner.query<{ sourceId: number }>(
    `select source_id as "sourceId" from subscription
      where reader_id = $1 and md5(url) = $2 and deleted_at is null limit 1`,
    [readerId, addressHash],
  );
  return row?.sourceId ?? null;
}

/** The icon of that feed; reads the reader's subscriptions. */
export async function iconByAddressHash(
  runner: SqlRunner,
  readerId: number,
  addressHash: string,
): Promise<Icon | null> {
  const [icon] = await runner.query<Icon>(
    `select ${ICON_ROW}
       from subscription s
       join source on source.id = s.source_id
       join icon on icon.id = source.icon_id
      where s.reader_id = $1 and md5(s.url) = $2 and s.deleted_at is null
      limit 1`,
    [readerId, addressHash],
  );
  return icon ?? null;
}

/** Stores the icon once, whatever number of sources show it, and links the source to it. */
export async function saveSourceIcon(
  runner: SqlRunner,
  sourceId: number,
  icon: { readonly url: string; readonly mime: string; readonly bytes: Uint8Array },
): Promise<void> {
  await runner.query(
    `with stored as (
       insert into icon (content_hash, mime, bytes) values (sha256($2), $3, $2)
       on conflict (content_hash) do update set mime = excluded.mime
       returning id
     )
     update source set icon_id = (select id from stored), icon_url = $4, icon_checked_at = now()
      where id = $1`,
    [sourceId, Buffer.from(icon.bytes), icon.mime, icon.url],
  );
}
