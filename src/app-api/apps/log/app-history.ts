import { Injectable } from '@nestjs/common';
import {
  AdministrationLog,
  type AdministrationKind,
} from '../../../common/ports/administration-log.js';
import { ExAppLog } from './ex-app-log.js';

type AppChange = Extract<AdministrationKind, `app_${string}`>;

/** What was done with an app: a line in the app's log, and an entry of the audit log. */
@Injectable()
export class AppHistory {
  constructor(
    private readonly log: ExAppLog,
    private readonly administration: AdministrationLog,
  ) {}

  /** @param details for instance "is disabled" */
  async add(appId: string, kind: AppChange, details: string): Promise<void> {
    this.log.note(appId, details);
    await this.administration.record({ kind, subject: { kind: 'app', id: appId }, details });
  }

  /** Its log is removed with the app. */
  async removed(appId: string, dataKept: boolean): Promise<void> {
    const details = dataKept ? 'its data is kept' : undefined;
    await this.administration.record({
      kind: 'app_removed',
      subject: { kind: 'app', id: appId },
      details,
    });
  }

  /** A line in the app's log only. */
  warn(appId: string, line: string): void {
    this.log.warn(appId, line);
  }
}
