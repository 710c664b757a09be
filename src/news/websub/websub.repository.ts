import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';

/**
 * `wanted`: to be asked for. `asked`: the hub accepted and has yet to verify. `active`: the hub
 * calls. `refused`: asked again later. `leaving`: the hub is told to stop.
 */
export type WebSubState = 'wanted' | 'asked' | 'active' | 'refused' | 'leaving';

export interface WebSubLease {
  readonly callbackId: string;
  /** Null once nobody follows the source. */
  readonly sourceId: number | null;
  readonly hubUrl: string;
  readonly topicUrl: string;
  /** What SecretBox made of the secret; null for a row of an older version. */
  readonly sealedSecret: Buffer | null;
  readonly state: WebSubState;
  readonly failures: number;
  readonly expiresSeconds: number | null;
  readonly lastCallSeconds: number | null;
}

export interface NewWebSubLease {
  readonly callbackId: string;
  readonly sourceId: number;
  readonly hubUrl: string;
  readonly topicUrl: string;
  readonly sealedSecret: Buffer;
}

/** A lease whose secret an older version stored as it is. */
export interface PlainSecret {
  readonly callbackId: string;
  readonly secret: string;
}

const COLUMNS = `callback_id as "callbackId", source_id as "sourceId", hub_url as "hubUrl",
  topic_url as "topicUrl", secret_sealed as "sealedSecret", state, failures,
  extract(epoch from expires_at)::bigint as "expiresSeconds",
  extract(epoch from last_call_at)::bigint as "lastCallSeconds"`;

/** What we asked of WebSub hubs, one lease per source. */
@Injectable()
export class WebSubRepository {
  constructor(private readonly database: Database) {}

  /** Wants the source's changes from a hub; what is asked of the same hub already stays as it is. */
  async want(lease: NewWebSubLease): Promise<void> {
    const { callbackId, sourceId, hubUrl, topicUrl, sealedSecret } = lease;
    await this.database.query(
      `insert into websub_lease as lease
              (callback_id, source_id, hub_url, topic_url, secret_sealed, state)
       values ($1, $2, $3, $4, $5, 'wanted')
       on conflict (source_id) do update
          set callback_id = excluded.callback_id, hub_url = excluded.hub_url,
              topic_url = excluded.topic_url, secret = null,
              secret_sealed = excluded.secret_sealed, state = 'wanted',
              expires_at = null, next_step_at = now(), failures = 0
        where (lease.hub_url, lease.topic_url) <> (excluded.hub_url, excluded.topic_url)`,
      [callbackId, sourceId, hubUrl, topicUrl, sealedSecret],
    );
  }

  async plainSecrets(limit: number): Promise<PlainSecret[]> {
    return this.database.query<PlainSecret>(
      `select callback_id as "callbackId", secret from websub_lease
        where secret is not null limit $1`,
      [limit],
    );
  }

  async changeSecret(callbackId: string, sealedSecret: Buffer): Promise<void> {
    await this.database.query(
      'update websub_lease set secret_sealed = $2, secret = null where callback_id = $1',
      [callbackId, sealedSecret],
    );
  }

  /** The source's document names no hub any more. */
  async letGo(sourceId: number): Promise<void> {
    await this.database.query(
      `update websub_lease set source_id = null, state = 'leaving', next_step_at = now()
        where source_id = $1`,
      [sourceId],
    );
  }

  async find(callbackId: string): Promise<WebSubLease | null> {
    const [lease] = await this.database.query<WebSubLease>(
      `select ${COLUMNS} from websub_lease where callback_id = $1`,
      [callbackId],
    );
    return lease ?? null;
  }

  async ofSource(sourceId: number): Promise<WebSubLease | null> {
    const [lease] = await this.database.query<WebSubLease>(
      `select ${COLUMNS} from websub_lease where source_id = $1`,
      [sourceId],
    );
    return lease ?? null;
  }

  /**
   * Takes leases that something is to be done about, each for one process: the next step moves
   * ahead by `seconds`. Leases of sources that nobody follows come as `leaving`.
   */
  async takeDue(limit: number, seconds: number): Promise<WebSubLease[]> {
    return this.database.query<WebSubLease>(
      `update websub_lease
          set next_step_at = now() + make_interval(secs => $2),
              state = case when source_id is null
                             or not exists (select from subscription
                                             where subscription.source_id = websub_lease.source_id)
                        then 'leaving' else state end
        where callback_id in (select callback_id from websub_lease where next_step_at <= now()
                               order by next_step_at limit $1 for update skip locked)
       returning ${COLUMNS}`,
      [limit, seconds],
    );
  }

  /** The hub took the request; it has so long to verify it. A lease that is renewed stays active. */
  async noteAsked(callbackId: string, verifyWithinSeconds: number): Promise<void> {
    await this.database.query(
      `update websub_lease
          set state = case when state = 'wanted' or state = 'refused' then 'asked' else state end,
              failures = failures + 1, next_step_at = now() + make_interval(secs => $2)
        where callback_id = $1`,
      [callbackId, verifyWithinSeconds],
    );
  }

  async noteActive(callbackId: string, seconds: number, renewInSeconds: number): Promise<void> {
    await this.database.query(
      `update websub_lease
          set state = 'active', failures = 0, expires_at = now() + make_interval(secs => $2),
              next_step_at = now() + make_interval(secs => $3)
        where callback_id = $1 and state <> 'leaving'`,
      [callbackId, seconds, renewInSeconds],
    );
  }

  /** Asked again after so long. */
  async noteRefused(callbackId: string, seconds: number): Promise<void> {
    await this.database.query(
      `update websub_lease
          set state = case when state = 'leaving' then state else 'refused' end,
              failures = failures + 1, next_step_at = now() + make_interval(secs => $2)
        where callback_id = $1`,
      [callbackId, seconds],
    );
  }

  async noteCall(callbackId: string): Promise<void> {
    await this.database.query(
      'update websub_lease set last_call_at = now() where callback_id = $1',
      [callbackId],
    );
  }

  async remove(callbackId: string): Promise<void> {
    await this.database.query('delete from websub_lease where callback_id = $1', [callbackId]);
  }
}
