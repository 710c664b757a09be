import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../../database/database.js';
import { lockLimit } from '../../../database/lock-limit.js';
import { type ProcessingTask, ROW, type SlotValues } from '../queue/processing-task.entity.js';

/** Owner of a task: a user, or an app that scheduled it for itself. */
export interface TaskOwner {
  /** Null for an app. */
  readonly userId: string | null;
  /** The id of that app; ignored for a user. */
  readonly consumer: string;
}

/** Selects tasks of one owner; null selects all. */
export interface TaskFilter {
  readonly typeId: string | null;
  readonly customId: string | null;
  /** The `appId` that the consumer named. */
  readonly consumer: string | null;
}

/** Selects tasks of the owner in $1 and $2. */
const IS_OWN = `(t.user_id = $1 or ($1::text is null and t.user_id is null and t.consumer = $2))`;

const ofOwner = ({ userId, consumer }: TaskOwner) => [userId, consumer];

const MOST_LISTED = 200;
const MOST_LISTED_BYTES = 4 * 1024 * 1024;

/** Tasks of one owner: a user, or an app that scheduled them for itself. */
@Injectable()
export class OwnTasksRepository {
  constructor(private readonly database: Database) {}

  /**
   * Makes room for one more task, which has to be stored in the same transaction; concurrent requests
   * cannot exceed the limit together. Ended tasks beyond a number are deleted, oldest first.
   *
   * @returns false if the owner has `mostUnfinished`
   */
  async makeRoom(
    tx: SqlRunner,
    owner: TaskOwner,
    mostUnfinished: number,
    mostEnded: number,
  ): Promise<boolean> {
    const { userId, consumer } = owner;
    const key = userId === null ? `app ${consumer}` : `user ${userId}`;
    await lockLimit(tx, 'tasks-kept-per-user', key);
    const [row] = await tx.query<{ count: number }>(
      `select count(*)::int as count from processing_task t where ${IS_OWN} and t.ended_at is null`,
      ofOwner(owner),
    );
    if (row !== undefined && row.count >= mostUnfinished) {
      return false;
    }
    await tx.query(
      `delete from processing_task where id in
         (select t.id from processing_task t
           where ${IS_OWN} and t.ended_at is not null
           order by t.id desc offset $3)`,
      [...ofOwner(owner), mostEnded],
    );
    return true;
  }

  async find(owner: TaskOwner, id: number): Promise<ProcessingTask | null> {
    const [row] = await this.database.query<ProcessingTask>(
      `select ${ROW} from processing_task t where ${IS_OWN} and t.id = $3 and t.state <> 'uploading'`,
      [...ofOwner(owner), id],
    );
    return row ?? null;
  }

  /**
   * Newest first, without uploads in progress: at most 200, and fewer if they are large, but one in any
   * case.
   */
  async list(
    owner: TaskOwner,
    { typeId, customId, consumer }: TaskFilter,
  ): Promise<ProcessingTask[]> {
    return this.database.query<ProcessingTask>(
      `with newest as (
         select t.id, row_number() over newer as place,
                sum(octet_length(t.input::text) + coalesce(octet_length(t.output::text), 0))
                  over newer as bytes
           from processing_task t
          where ${IS_OWN} and t.state <> 'uploading'
            and ($3::text is null or t.type = $3)
            and ($4::text is null or t.custom_id = $4)
            and ($5::text is null or t.consumer = $5)
         window newer as (order by t.id desc)
          order by t.id desc limit $6
       )
       select ${ROW} from processing_task t join newest on newest.id = t.id
        where newest.place = 1 or newest.bytes <= $7
        order by t.id desc`,
      [...ofOwner(owner), typeId, customId, consumer, MOST_LISTED, MOST_LISTED_BYTES],
    );
  }

  /** Removes a task with its files; ignored if there is none. */
  async remove(owner: TaskOwner, id: number): Promise<void> {
    await this.database.query(
      `delete from processing_task t where ${IS_OWN} and t.id = $3 and t.state <> 'uploading'`,
      [...ofOwner(owner), id],
    );
  }

  async removeAllOf(owner: TaskOwner): Promise<void> {
    await this.database.query(`delete from processing_task t where ${IS_OWN}`, ofOwner(owner));
  }

  /** Ends the upload of a task's input. @returns null if it is not uploading */
  async scheduleUploaded(
    tx: SqlRunner,
    id: number,
    input: SlotValues,
    fileIds: readonly number[],
  ): Promise<ProcessingTask | null> {
    const [row] = await tx.query<ProcessingTask>(
      `update processing_task t
          set state = 'scheduled', input = $2, file_ids = $3, scheduled_at = now(), changed_at = now()
        where t.id = $1 and t.state = 'uploading'
       returning ${ROW}`,
      [id, JSON.stringify(input), fileIds],
    );
    return row ?? null;
  }

  /** Deletes a task whose upload failed. */
  async removeUpload(id: number): Promise<void> {
    await this.database.query(`delete from processing_task where id = $1 and state = 'uploading'`, [
      id,
    ]);
  }

  /** Deletes old ended tasks, and uploads that were interrupted by the end of a process. */
  async removeOld(endedDaysAgo: number, uploadingForSeconds: number): Promise<void> {
    await this.database.query(
      `delete from processing_task
        where ended_at < now() - make_interval(days => $1)
           or (state = 'uploading' and scheduled_at < now() - make_interval(secs => $2))`,
      [endedDaysAgo, uploadingForSeconds],
    );
  }
}
