import { Injectable } from '@nestjs/common';
import { PermanentJobFailure } from '../../database/jobs/job-kind.js';
import { ExAppClient } from '../apps/client/ex-app-client.service.js';
import type { ExApp } from '../apps/ex-apps.repository.js';
import { ExAppLog } from '../apps/log/ex-app-log.service.js';

const ANSWER_SECONDS = 10;

/**
 * Permanent failures: the app will never accept this event. Retrying would delay all later events of
 * the listener.
 */
const REFUSALS = new Set([400, 410, 413, 415, 422]);

interface EventPost {
  readonly route: string;
  /** The acting user. */
  readonly userId: string;
  readonly event: { readonly event_subtype: string };
  readonly signal: AbortSignal;
}

/** Posts events to the handlers of listeners. */
@Injectable()
export class EventPosts {
  constructor(
    private readonly client: ExAppClient,
    private readonly log: ExAppLog,
  ) {}

  /**
   * One attempt to deliver an event.
   *
   * @throws PermanentJobFailure when the app refuses the event, Error when it should be sent again
   */
  async post(app: ExApp, { route, userId, event, signal }: EventPost): Promise<void> {
    try {
      const status = await this.client.tell(app, {
        method: 'POST',
        route,
        userId,
        json: event,
        timeoutSeconds: ANSWER_SECONDS,
        signal,
      });
      if (status >= 200 && status < 300) {
        return;
      }
      const complaint = `${app.appId} answered ${event.event_subtype} with status ${status}`;
      throw REFUSALS.has(status) ? new PermanentJobFailure(complaint) : new Error(complaint);
    } catch (error) {
      if (!signal.aborted) {
        // The queue logs it, too, with the time of the retry.
        this.log.remember(app.appId, `the event was not delivered: ${(error as Error).message}`);
      }
      throw error;
    }
  }
}
