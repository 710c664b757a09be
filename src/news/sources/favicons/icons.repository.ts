import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import { prepared } from '../../../database/prepared.js';
import { selectList, type RowOf } from '../../../database/select-list.js';
import { IconEntity } from '../../tables/source.entity.js';
import type { FoundIcon } from './find-icon.service.js';

const ICON_ROW = selectList(IconEntity, 'icon', ['mime', 'bytes']);

export type Icon = RowOf<typeof ICON_ROW>;

/** A source, with the icon that it shows. */
type ShownIcon = { readonly sourceId: number } & (Icon | { readonly bytes: null });

/** Whether the caller is to ask the place, and whether it has an icon; null is unknown. */
interface LookedAt {
  readonly isDue: boolean;
  readonly hasIcon: boolean | null;
}

/** Exceeds the duration of a search. */
const LEASE = "interval '10 minutes'";

const LONGEST_LIFE_SECONDS = 30 * 86_400;
const KEY = `sha256(convert_to($1, 'UTF8'))`;

const SHOW_ICON = prepared(
  'show-icon',
  `with due as (
         insert into icon_place as place (key, due_at) values (${KEY}, now() + ${LEASE})
         on conflict (key) do update set due_at = excluded.due_at
          where place.due_at not between now() and now() + interval '31 days'
         returning 1
       ), shown as (
         update source set icon_id = coalesce(place.icon_id, source.icon_id), icon_checked_at = now(),
                           icon_url = coalesce(place.icon_url, source.icon_url)
           from icon_place place
          where id = $2 and key = ${KEY} and due_at between now() + ${LEASE} and now() + interval '31 days'
         returning place.icon_id is not null as has
       )
       select exists (select 1 from due) as "isDue", (select has from shown) as "hasIcon"`,
);

const SAVE_ICON = prepared(
  'save-icon',
  `with stored as (
         insert into icon (content_hash, mime, bytes)
         select sha256($2::bytea), $3, $2 where $2 is not null
         on conflict (content_hash) do update set mime = excluded.mime
         returning id
       ), found as (
         update icon_place
            set icon_id = coalesce((select id from stored), icon_id), icon_url = coalesce($4, icon_url),
                due_at = now() + greatest(coalesce(make_interval(secs => $5), '7 days'), '1 day')
          where key = ${KEY}
         returning icon_id, icon_url
       ), shown as (
         update source set icon_id = coalesce(found.icon_id, source.icon_id), icon_checked_at = now(),
                           icon_url = coalesce(found.icon_url, source.icon_url)
           from found where id = $6
       )
       select icon_id is not null as "hasIcon" from found`,
);

/** Icons of sources, looked up by the MD5 of the address of a reader's feed, and the places where they are. */
@Injectable()
export class IconsRepository {
  constructor(private readonly database: Database) {}

  /** Icon of the reader's feed whose address has this MD5; reads the reader's subscriptions. */
  async find(readerId: number, addressHash: string): Promise<ShownIcon | undefined> {
    const [icon] = await this.database.query<ShownIcon>(
      `select source.id as "sourceId", ${ICON_ROW}
         from subscription s
         join source on source.id = s.source_id
         left join icon on icon.id = source.icon_id
        where s.reader_id = $1 and md5(s.url) = $2 and s.deleted_at is null
        limit 1`,
      [readerId, addressHash],
    );
    return icon;
  }

  /** @returns null for an unknown id */
  async byId(iconId: number): Promise<Icon | null> {
    return this.database.entities((em) =>
      em.findOne(IconEntity, { id: iconId }, { fields: ['mime', 'bytes'] }),
    );
  }

  /** Shows the icon of a place at a source, or else its former one, unless it is time to ask or a process is asking. */
  async show(place: string, sourceId: number): Promise<LookedAt | undefined> {
    const [looked] = await this.database.query<LookedAt>(SHOW_ICON, [place, sourceId]);
    return looked;
  }

  /**
   * Stores the icon once for all places that have it, and shows it at a source. A place without one keeps its
   * former one.
   *
   * @returns whether the place has one
   */
  async save(place: string, icon: FoundIcon | null, sourceId: number): Promise<boolean> {
    const { mime, url, lifeSeconds = null } = icon ?? {};
    const seconds = lifeSeconds && Math.min(lifeSeconds, LONGEST_LIFE_SECONDS);
    const [shown] = await this.database.query<{ hasIcon: boolean }>(SAVE_ICON, [
      place,
      icon && Buffer.from(icon.bytes),
      mime,
      url,
      seconds,
      sourceId,
    ]);
    return shown?.hasIcon ?? false;
  }
}
