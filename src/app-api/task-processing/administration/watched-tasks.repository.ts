import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import { FETCHED, OLDER_ID, type ProcessingState } from '../queue/processing-task.entity.js';
import { TRANSCRIBE, TRANSLATE } from '../types/older-kinds.js';

/** A task of task processing, or an older one, without its contents. */
export type WatchedTask = AnyTask &
  (
    | {
        readonly type: string;
        /** User or app that scheduled the task. */
        readonly consumer: string;
      }
    | { readonly type: null; readonly consumer: null }
  );

interface AnyTask {
  /** `task_processing`, or the kind of an older task. */
  readonly kind: string;
  readonly id: number;
  /** `queued` and `done` of an older task are `scheduled` and `successful`. */
  readonly state: ProcessingState;
  /** The app that works on it, or did last, and its provider; null before the first claim. */
  readonly appId: string | null;
  readonly provider: string | null;
  /** Null for a task that an app scheduled for itself. */
  readonly userId: string | null;
  /** Per cent. */
  readonly progress: number | null;
  /** Empty without an error. */
  readonly error: string;
  readonly attempts: number;
  /** Unix seconds, like the next three fields. */
  readonly leaseUntilSeconds: number | null;
  readonly createdSeconds: number;
  readonly startedSeconds: number | null;
  readonly finishedSeconds: number | null;
}

/** Undefined fields do not filter. */
export interface WatchedTaskFilter {
  readonly state?: ProcessingState | undefined;
  /** A task type, or the kind of older tasks. */
  readonly type?: string | undefined;
  /** The beginning of the id of the app that works on them or scheduled them. */
  readonly appId?: string | undefined;
  /** The beginning of the id, in any case. */
  readonly userId?: string | undefined;
}

const MATCHING = `select * from (
    select 'task_processing' as kind, id, type, state, app_id, provider_id as provider, consumer,
           user_id, round(progress * 100)::int as progress, error, attempts, lease_until,
           scheduled_at as created_at, started_at, ended_at as finished_at
      from processing_task t where ${FETCHED}
    union all
    select case type when '${TRANSLATE}' then 'translation' when '${TRANSCRIBE}' then 'speech_to_text'
                     else 'text_processing' end,
           ${OLDER_ID}, null, case state when 'cancelled' then 'failed' else state end,
           coalesce(called_app_id, app_id), provider_id, null, user_id, round(progress * 100)::int,
           user_error, 0, null, scheduled_at, started_at, ended_at
      from processing_task t where older is not null) as any_task
   where ($1::text is null or state = $1)
     and ($2::text is null or type = $2 or kind = $2)
     and ($3::text is null or starts_with(app_id, $3) or starts_with(consumer, $3))
     and ($4::text is null or starts_with(lower(user_id), lower($4)))`;

const ROW = `t.kind, t.id::float8 as id, t.type, t.state, t.app_id as "appId", t.provider, t.consumer,
  t.user_id as "userId", t.progress, coalesce(t.error, '') as error, t.attempts,
  floor(extract(epoch from t.lease_until))::float8 as "leaseUntilSeconds",
  floor(extract(epoch from t.created_at))::float8 as "createdSeconds",
  floor(extract(epoch from t.started_at))::float8 as "startedSeconds",
  floor(extract(epoch from t.finished_at))::float8 as "finishedSeconds"`;

const valuesOf = ({ state, type, appId, userId }: WatchedTaskFilter) => [
  state ?? null,
  type ?? null,
  appId ?? null,
  userId ?? null,
];

export interface TypeFigures {
  readonly type: string;
  readonly scheduled: number;
  readonly running: number;
  /** Age of the oldest scheduled task; null without one. */
  readonly oldestSeconds: number | null;
  /** Tasks that ended in the last 24 hours, as the next two. */
  readonly successful: number;
  readonly failed: number;
  /** Mean time from first claim to end of successful tasks; null without one. */
  readonly meanSeconds: number | null;
}

/** First registration of a provider by an app. */
interface ProviderRegistration {
  readonly appId: string;
  readonly providerId: string;
  /** Unix seconds. */
  readonly atSeconds: number;
}

/** Tasks of all users as administrators see them: never their input or output. */
@Injectable()
export class WatchedTasksRepository {
  constructor(private readonly database: Database) {}

  /** Tasks of all users, newest first. */
  async list(filter: WatchedTaskFilter, limit: number, offset = 0): Promise<WatchedTask[]> {
    return this.database.query<WatchedTask>(
      `select ${ROW} from (${MATCHING}) as t
        order by t.created_at desc, t.id desc, t.kind limit $5 offset $6`,
      [...valuesOf(filter), limit, offset],
    );
  }

  /** Tasks of task processing that the app claimed last, newest first. */
  async ofApp(appId: string, state: ProcessingState, limit: number): Promise<WatchedTask[]> {
    return this.database.query<WatchedTask>(
      `select ${ROW} from (${MATCHING}) as t
        where t.app_id = $3 and t.type is not null
        order by t.created_at desc, t.id desc limit $5`,
      [...valuesOf({ state, appId }), limit],
    );
  }

  async count(filter: WatchedTaskFilter): Promise<number> {
    const [row] = await this.database.query<{ total: number }>(
      `select count(*)::int as total from (${MATCHING}) as t`,
      valuesOf(filter),
    );
    return row?.total ?? 0;
  }

  /** Figures by type, of types with an unfinished task or any in the last 24 hours. */
  async figures(): Promise<ReadonlyMap<string, TypeFigures>> {
    const rows = await this.database.query<TypeFigures>(
      `select type,
              count(*) filter (where state = 'scheduled')::int as scheduled,
              count(*) filter (where state = 'running')::int as running,
              extract(epoch from now() - min(scheduled_at) filter (where state = 'scheduled'))::int
                as "oldestSeconds",
              count(*) filter (where state = 'successful')::int as successful,
              count(*) filter (where state = 'failed')::int as failed,
              extract(epoch from avg(ended_at - started_at) filter (where state = 'successful'))::float8
                as "meanSeconds"
         from processing_task t
        where (state in ('scheduled', 'running') or ended_at > now() - interval '1 day') and ${FETCHED}
        group by type`,
    );
    return new Map(rows.map((row) => [row.type, row]));
  }

  /** Excludes tasks whose upload is in progress. */
  async countByState(): Promise<Partial<Record<ProcessingState, number>>> {
    const rows = await this.database.query<{ state: ProcessingState; count: number }>(
      `select state, count(*)::int as count from processing_task t
        where state <> 'uploading' and ${FETCHED} group by state`,
    );
    return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
  }

  /** Tasks that the older routes know, by their names of states. Excludes uploads in progress. */
  async countOlder(): Promise<Record<'queued' | 'running' | 'done' | 'failed', number>> {
    const [row] = await this.database.query<
      Record<'queued' | 'running' | 'done' | 'failed', number>
    >(
      `select count(*) filter (where state = 'scheduled')::int as queued,
              count(*) filter (where state = 'running')::int as running,
              count(*) filter (where state = 'successful')::int as done,
              count(*) filter (where state in ('failed', 'cancelled'))::int as failed
         from processing_task where older is not null`,
    );
    return row ?? { queued: 0, running: 0, done: 0, failed: 0 };
  }

  /** Registrations of all apps, enabled or not. */
  async providerRegistrations(): Promise<ProviderRegistration[]> {
    return this.database.query<ProviderRegistration>(
      `select app_id as "appId", key as "providerId",
              floor(extract(epoch from created_at))::float8 as "atSeconds"
         from ex_app_registration where kind = 'task_processing'`,
    );
  }
}
