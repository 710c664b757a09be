import { raw, type RawQueryFragment } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import { selectList, type RowOf } from '../../../database/select-list.js';
import { WebsubLeaseEntity } from '../../tables/source.entity.js';

const LEASE_ROW = selectList(WebsubLeaseEntity, 'lease', [
  'callbackId',
  'sourceId',
  'hubUrl',
  'topicUrl',
  'secretSealed',
  'state',
  'failures',
]);

/** A subscription at a hub. Times are unix seconds. */
export type WebSubLease = RowOf<typeof LEASE_ROW> & { readonly expiresSeconds: number | null };

/** The hub and topic that a document names, and the data for a subscription to them. */
interface NewWebSubLease {
  readonly callbackId: string;
  readonly sourceId: number;
  readonly hubUrl: string;
  readonly topicUrl: string;
  readonly secretSealed: Buffer;
}

const COLUMNS = `${LEASE_ROW}, extract(epoch from lease.expires_at)::bigint as "expiresSeconds"`;

/** Subscriptions at WebSub hubs, at most one per source. */
@Injectable()
export class WebSubRepository {
  constructor(private readonly database: Database) {}

  /** Reads by primary key. */
  async find(callbackId: string): Promise<WebSubLease | null> {
    const [lease] = await this.database.query<WebSubLease>(
      `select ${COLUMNS} from websub_lease lease where callback_id = $1`,
      [callbackId],
    );
    return lease ?? null;
  }

  /** Uses websub_lease_source_id_unique. */
  async ofSource(sourceId: number): Promise<WebSubLease | null> {
    const [lease] = await this.database.query<WebSubLease>(
      `select ${COLUMNS} from websub_lease lease where source_id = $1`,
      [sourceId],
    );
    return lease ?? null;
  }

  /** Plans a subscription; an existing one at the same hub for the same topic is unchanged. */
  async want(lease: NewWebSubLease): Promise<void> {
    const { callbackId, sourceId, hubUrl, topicUrl, secretSealed } = lease;
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
      [callbackId, sourceId, hubUrl, topicUrl, secretSealed],
    );
  }

  /** Plans to unsubscribe, because the document of the source names no hub any more. */
  async letGo(sourceId: number): Promise<void> {
    await this.database.entities((em) =>
      em.nativeUpdate(
        WebsubLeaseEntity,
        { sourceId },
        { sourceId: null, state: 'leaving', nextStepAt: raw<RawQueryFragment>('now()') },
      ),
    );
  }

  /**
   * Takes leases that are due for a step, each for one process: their next step moves ahead by `seconds`.
   * Leases of sources without followers become `leaving`. Uses websub_lease_next_step_at_index.
   */
  async takeDue(limit: number, seconds: number): Promise<WebSubLease[]> {
    return this.database.query<WebSubLease>(
      `update websub_lease lease
          set next_step_at = now() + make_interval(secs => $2),
              state = case when source_id is null
                             or not exists (select 1 from follower
                                             where follower.source_id = lease.source_id)
                        then 'leaving' else state end
        where callback_id in (select callback_id from websub_lease where next_step_at <= now()
                               order by next_step_at limit $1 for update skip locked)
       returning ${COLUMNS}`,
      [limit, seconds],
    );
  }

  /** The hub accepted the request and has this long to verify it. A lease being renewed stays active. */
  async noteAsked(callbackId: string, verifyWithinSeconds: number): Promise<void> {
    await this.database.query(
      `update websub_lease
          set state = case when state = 'wanted' or state = 'refused' then 'asked' else state end,
              failures = failures + 1, next_step_at = now() + make_interval(secs => $2)
        where callback_id = $1`,
      [callbackId, verifyWithinSeconds],
    );
  }

  /** The hub verified the subscription. */
  async noteActive(callbackId: string, seconds: number, renewInSeconds: number): Promise<void> {
    await this.database.query(
      `update websub_lease
          set state = 'active', failures = 0, expires_at = now() + make_interval(secs => $2),
              next_step_at = now() + make_interval(secs => $3)
        where callback_id = $1 and state <> 'leaving'`,
      [callbackId, seconds, renewInSeconds],
    );
  }

  /** The hub refused; the request is repeated after `seconds`. */
  async noteRefused(callbackId: string, seconds: number): Promise<void> {
    await this.database.query(
      `update websub_lease
          set state = case when state = 'leaving' then state else 'refused' end,
              failures = failures + 1, next_step_at = now() + make_interval(secs => $2)
        where callback_id = $1`,
      [callbackId, seconds],
    );
  }

  /** The hub sent a valid notification. */
  async noteCall(callbackId: string): Promise<void> {
    await this.database.entities((em) =>
      em.nativeUpdate(
        WebsubLeaseEntity,
        { callbackId },
        { lastCallAt: raw<RawQueryFragment>('now()') },
      ),
    );
  }

  async remove(callbackId: string): Promise<void> {
    await this.database.entities((em) => em.nativeDelete(WebsubLeaseEntity, { callbackId }));
  }

  /** Leases whose secret an older version stored in plain text. */
  async plainSecrets(limit: number): Promise<{ callbackId: string; secret: string }[]> {
    const rows = await this.database.entities((em) =>
      em.find(
        WebsubLeaseEntity,
        { secret: { $ne: null } },
        { fields: ['callbackId', 'secret'], limit },
      ),
    );
    return rows.map(({ callbackId, secret }) => ({ callbackId, secret: secret ?? '' }));
  }

  async changeSecret(callbackId: string, secretSealed: Buffer): Promise<void> {
    await this.database.entities((em) =>
      em.nativeUpdate(WebsubLeaseEntity, { callbackId }, { secretSealed, secret: null }),
    );
  }
}
