import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';

const MOST_SOURCES = 100;

/** A feed whose client certificate ends. */
interface EndingCertificate {
  readonly userId: string;
  readonly feedId: number;
  readonly title: string;
  readonly url: string;
  readonly endsSeconds: number;
}

/** Client certificates that end soon. */
@Injectable()
export class EndingCertificatesRepository {
  constructor(private readonly database: Database) {}

  /**
   * Followers of sources that were not told of since `againSeconds`, and of a source of a group's folder only its editors, since
   * nobody else can enter a new certificate; of 100 sources at most. Taken by one process only. Uses
   * source_certificate_ends_index.
   */
  async take(now: Date, beforeSeconds: number, againSeconds: number): Promise<EndingCertificate[]> {
    return this.database.query(
      `with ending as (
         update source set certificate_told_at = $1
          where id in (select id from source
                        where certificate_ends > $1
                          and certificate_ends < $1 + make_interval(secs => $2)
                          and coalesce(certificate_told_at, '-infinity') < $1 - make_interval(secs => $3)
                        order by certificate_ends limit ${MOST_SOURCES}
                          for update skip locked)
         returning id, title, url, certificate_ends
       )
       select reader_user.user_id as "userId", follower.subscription_id as "feedId", ending.title,
              ending.url, extract(epoch from ending.certificate_ends)::bigint as "endsSeconds"
         from ending join follower on follower.source_id = ending.id and follower.deleted_at is null
         join reader_user on reader_user.reader_id = follower.reader_id
        where not exists (select 1 from group_folder_feed where source_id = ending.id)
           or exists (select 1 from group_folder_feed feed
                        join group_folder folder on folder.id = feed.folder_id
                        join group_folder_editor editor on editor.folder_id = folder.id
                        join account_group_member member
                          on member.group_id = folder.group_id and member.user_id = editor.user_id
                       where feed.source_id = ending.id and editor.user_id = reader_user.user_id)
        order by follower.subscription_id`,
      [now, beforeSeconds, againSeconds],
    );
  }
}
