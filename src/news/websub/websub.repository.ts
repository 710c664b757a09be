import { raw, type RawQueryFragment } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { WebsubLeaseEntity } from './websub-lease.entity.js';
import {
  leaseByCallback,
  leaseOfSource,
  setActive,
  setAsked,
  setRefused,
  takeDueLeases,
  wantLease,
  type NewWebSubLease,
  type WebSubLease,
} from './websub.sql.js';

/** A lease whose secret an older version stored in plain text. */
interface PlainSecret {
  readonly callbackId: string;
  readonly secret: string;
}

/** Subscriptions at WebSub hubs, at most one per source. */
@Injectable()
export class WebSubRepository {
  constructor(private readonly database: Database) {}

  async find(callbackId: string): Promise<WebSubLease | null> {
    return leaseByCallback(this.database, callbackId);
  }

  async ofSource(sourceId: number): Promise<WebSubLease | null> {
    return leaseOfSource(this.database, sourceId);
  }

  /** Plans a subscription; an existing one at the same hub for the same topic stays as it is. */
  async want(lease: NewWebSubLease): Promise<void> {
    await wantLease(this.database, lease);
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

  /** Takes leases that are due for a step, for `seconds`. */
  async takeDue(limit: number, seconds: number): Promise<WebSubLease[]> {
    return takeDueLeases(this.database, limit, seconds);
  }

  /** The hub accepted the request and has this long to verify it. */
  async noteAsked(callbackId: string, verifyWithinSeconds: number): Promise<void> {
    await setAsked(this.database, callbackId, verifyWithinSeconds);
  }

  /** The hub verified the subscription. */
  async noteActive(callbackId: string, seconds: number, renewInSeconds: number): Promise<void> {
    await setActive(this.database, callbackId, seconds, renewInSeconds);
  }

  /** The hub refused; the request is repeated after `seconds`. */
  async noteRefused(callbackId: string, seconds: number): Promise<void> {
    await setRefused(this.database, callbackId, seconds);
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

  async plainSecrets(limit: number): Promise<PlainSecret[]> {
    const rows = await this.database.entities((em) =>
      em.find(
        WebsubLeaseEntity,
        { secret: { $ne: null } },
        { fields: ['callbackId', 'secret'], limit, disableIdentityMap: true },
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
