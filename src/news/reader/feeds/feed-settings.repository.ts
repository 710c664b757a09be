import { Injectable } from '@nestjs/common';
import type { SqlRunner } from '../../../database/database.js';
import type { LockedReader } from '../delivery/reader-locks.js';

/** What a user may choose for one feed; what is absent stays as it is. */
export interface FeedSettings {
  /** Shows the text of the article's page in place of what the feed says. */
  readonly fullText?: boolean | undefined;
  readonly pinned?: boolean | undefined;
  /** 0 no special ordering, 1 oldest first, 2 newest first. */
  readonly ordering?: number | undefined;
  /** 0 a changed article keeps its unread flag, 1 it becomes unread again. */
  readonly updateMode?: number | undefined;
}

/** Settings of subscriptions. */
@Injectable()
export class FeedSettingsRepository {
  /**
   * Items whose body is another one afterwards are stamped.
   *
   * @returns whether the reader has such a feed
   */
  async change(
    tx: SqlRunner,
    reader: LockedReader,
    feedId: number,
    { fullText, pinned, ordering, updateMode }: FeedSettings,
  ): Promise<boolean> {
    const [changed] = await tx.query<{ showsOtherBodies: boolean }>(
      `update subscription s
          set full_text = coalesce($3, s.full_text), pinned = coalesce($4, s.pinned),
              ordering = coalesce($5, s.ordering), update_mode = coalesce($6, s.update_mode)
         from subscription former
        where former.id = s.id and s.reader_id = $1 and s.id = $2 and s.deleted_at is null
       returning s.full_text <> former.full_text as "showsOtherBodies"`,
      [reader.id, feedId, fullText ?? null, pinned ?? null, ordering ?? null, updateMode ?? null],
    );
    if (changed?.showsOtherBodies === true) {
      await tx.query(
        `with changed as (
           update item set last_modified_micros = $2
             from article_body body
            where item.subscription_id = $3 and body.article_id = item.article_id
              and body.full_text_html is not null
           returning 1)
         update reader set last_modified_micros = $2 where id = $1 and exists (select from changed)`,
        [reader.id, reader.stampMicros, feedId],
      );
    }
    return changed !== undefined;
  }
}
