import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../../database/database.js';
import { lockLimit } from '../../../database/lock-limit.js';
import {
  FETCHED,
  type NewProcessingTask,
  OLDER_ID,
  type ProcessingTask,
  ROW,
  type SlotValues,
} from '../queue/processing-task.entity.js';

/** Owner of a task: a user, or an app that scheduled it for itself. */
export interface TaskOwner {
  /** Null for an app. */
  readonly userId: string | null;
  /** The id of that app; ignored for a user. */
  readonly consumer: string;
  /** The task types of an older route, which knows its own tasks only, by their ids there. */
  readonly olderTypes?: readonly string[];
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

/** Selects tasks that the owner's routes know, of the types in $3, and says what their ids are there. */
const known = ({ olderTypes }: TaskOwner) => ({
  id: olderTypes === undefined ? 't.id' : OLDER_ID,
  customId:
    olderTypes === undefined
      ? `case when t.older is null then t.custom_id else 'older-task:' || ${OLDER_ID} end`
      : 't.custom_id',
  tasks: `${IS_OWN} and ${olderTypes === undefined ? FETCHED : 't.older is not null'}
    and ($3::text[] is null or t.type = any($3)) and t.state <> 'uploading'`,
});

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
   * @returns false if the owner has `mostUnfinished` of those that apps fetch, or of older routes
   */
  async makeRoom(
    tx: SqlRunner,
    task: NewProcessingTask,
    mostUnfinished: number,
    mostEnded: number,
  ): Promise<boolean> {
    const { userId, consumer, older, calledAppId } = task;
    const key = userId === null ? `app ${consumer}` : `user ${userId}`;
    await lockLimit(tx, 'tasks-kept-per-user', key);
    const [row] = await tx.query<{ fetched: number; older: number }>(
      `select count(*) filter (where ${FETCHED})::int as fetched,
              count(*) filter (where t.older is not null and t.deadline_at > now())::int as older
         from processing_task t where ${IS_OWN} and t.ended_at is null`,
      ofOwner(task),
    );
    const fetched = calledAppId === null ? (row?.fetched ?? 0) : 0;
    if (Math.max(fetched, older === null ? 0 : (row?.older ?? 0)) >= mostUnfinished) {
      return false;
    }
    await tx.query(
      `delete from processing_task where id in
         (select t.id from processing_task t
           where ${IS_OWN} and ${FETCHED} and t.ended_at is not null
           order by t.id desc offset $3)`,
      [...ofOwner(task), mostEnded],
    );
    return true;
  }

  async find(owner: TaskOwner, id: number): Promise<ProcessingTask | null> {
    const its = known(owner);
    const [row] = await this.database.query<ProcessingTask>(
      `select ${ROW} from processing_task t where ${its.tasks} and ${its.id} = $4`,
      [...ofOwner(owner), owner.olderTypes ?? null, id],
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
    const its = known(owner);
    const types = owner.olderTypes ?? (typeId === null ? null : [typeId]);
    return this.database.query<ProcessingTask>(
      `with newest as (
         select t.id, row_number() over newer as place,
                sum(octet_length(t.input::text) + coalesce(octet_length(t.output::text), 0))
                  over newer as bytes
           from processing_task t
          where ${its.tasks}
            and ($4::text is null or ${its.customId} = $4)
            and ($5::text is null or t.consumer = $5)
         window newer as (order by ${its.id} desc)
          order by ${its.id} desc limit $6
       )
       select ${ROW} from processing_task t join newest on newest.id = t.id
        where newest.place = 1 or newest.bytes <= $7
        order by ${its.id} desc`,
      [...ofOwner(owner), types, customId, consumer, MOST_LISTED, MOST_LISTED_BYTES],
    );
  }

  /** Removes a task with its files; ignored if there is none. */
  async remove(owner: TaskOwner, id: number): Promise<void> {
    const its = known(owner);
    await this.database.query(
      `delete from processing_task t where ${its.tasks} and ${its.id} = $4`,
      [...ofOwner(owner), owner.olderTypes ?? null, id],
    );
  }

  /** Hides a task from the older routes. */
  async forgetOlder(id: number): Promise<void> {
    await this.database.query(
      `update processing_task t
          set older = null, custom_id = 'older-task:' || ${OLDER_ID} where t.id = $1`,
      [id],
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
          set state = 'scheduled', input = $2, file_ids = $3, scheduled_at = now(), changed_at = now(),
              deadline_at = deadline_at + (now() - scheduled_at)
        where t.id = $1 and t.state = 'uploading'
       returning ${ROW}`,
      [id, JSON.stringify(input), fileIds],
    );
    return row ?? null;
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
