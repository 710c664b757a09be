import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import type { ExAppRoute } from '../../proxy/ex-app-routes.sql.js';
import { replaceRoutes } from '../../proxy/ex-app-routes.sql.js';
import { ExAppValueEntity } from '../../values/ex-app-value.entity.js';
import { ExAppEntity } from '../ex-app.entity.js';
import {
  beginInitialisation,
  claimChecks,
  failOverdueInitialisations,
  failStep,
  listAbandoned,
  recordProgress,
  renewLease,
  stopStep,
  takeLease,
  type AbandonedApp,
  type LeaseRequest,
} from './lifecycle.sql.js';

interface NewVersion {
  readonly name: string;
  readonly version: string;
  /** Undefined keeps the address. */
  readonly baseUrl: string | undefined;
  readonly routes: readonly ExAppRoute[];
}

/** Moves apps from one state to the next. Safe to call from several processes at the same time. */
@Injectable()
export class LifecycleRepository {
  constructor(private readonly database: Database) {}

  /**
   * Takes the exclusive right to change the state of an app.
   *
   * @returns null if it was taken; otherwise what the holder does, or `gone` if there is no such app
   */
  async takeLease(
    appId: string,
    request: LeaseRequest,
  ): Promise<{ readonly busyWith: string } | 'gone' | null> {
    if (await takeLease(this.database, appId, request)) {
      return null;
    }
    const app = await this.database.entities((em) =>
      em.findOne(ExAppEntity, { appId }, { fields: ['busyWith'] }),
    );
    return app === null ? 'gone' : { busyWith: app.busyWith ?? '' };
  }

  /** @returns false if somebody else holds the lease by now */
  async renewLease(appId: string, token: string, seconds: number): Promise<boolean> {
    return renewLease(this.database, appId, token, seconds);
  }

  async releaseLease(appId: string, token: string): Promise<void> {
    const free = { busyToken: null, busyWith: null, busyUntil: null };
    await this.database.entities((em) =>
      em.nativeUpdate(ExAppEntity, { appId, busyToken: token }, free),
    );
  }

  /** Resets the progress to 0 and starts the clock of the time limit. */
  async beginInitialisation(appId: string): Promise<void> {
    await beginInitialisation(this.database, appId);
  }

  /**
   * Records the progress of an initialisation, in per cent; 0 starts it again. Ignored after 100 per
   * cent, or once the installation has failed or was stopped.
   *
   * @returns whether this report completed the initialisation
   */
  async recordProgress(appId: string, progress: number): Promise<boolean> {
    if (progress === 0) {
      await beginInitialisation(this.database, appId);
      return false;
    }
    return (await recordProgress(this.database, appId, progress)) && progress === 100;
  }

  /** Changes name, version, address and routes in one transaction. */
  async applyVersion(appId: string, { routes, baseUrl, ...named }: NewVersion): Promise<void> {
    await this.database.transaction(async (tx) => {
      const change = { ...named, ...(baseUrl !== undefined && { baseUrl }) };
      await tx.em.nativeUpdate(ExAppEntity, { appId }, change);
      await replaceRoutes(tx, appId, routes);
    });
  }

  /** @returns false if the step was stopped in the meantime */
  async fail(appId: string, error: string): Promise<boolean> {
    return failStep(this.database, appId, error);
  }

  /**
   * Stops the installation, update or enabling of a disabled app, or resets a failed one.
   *
   * @returns whether there was one
   */
  async stop(appId: string): Promise<boolean> {
    return stopStep(this.database, appId);
  }

  /** Fails initialisations beyond their time limit. */
  async failOverdueInitialisations(): Promise<
    { readonly appId: string; readonly error: string }[]
  > {
    return failOverdueInitialisations(this.database);
  }

  /** Apps whose installation or enabling was interrupted by the end of a process. */
  async abandoned(): Promise<AbandonedApp[]> {
    return listAbandoned(this.database);
  }

  /** Claims the enabled apps that are due for a connection check; each goes to one process only. */
  async claimChecks(olderThanSeconds: number): Promise<string[]> {
    return claimChecks(this.database, olderThanSeconds);
  }

  /**
   * Deletes an app and its registrations.
   *
   * @param keepData keeps its values for the next registration under the same id
   */
  async remove(appId: string, keepData: boolean): Promise<void> {
    await this.database.transaction(async (tx) => {
      await tx.em.nativeDelete(ExAppEntity, { appId });
      if (!keepData) {
        await tx.em.nativeDelete(ExAppValueEntity, { appId });
      }
    });
  }
}
