import { Injectable } from '@nestjs/common';
import { ExAppsRepository } from '../apps/ex-apps.repository.js';
import { ExAppsService, type KnownApp } from '../apps/lifecycle/ex-apps.service.js';
import type { Heartbeat } from '../apps/lifecycle/heartbeat.service.js';
import { ExAppLog } from '../apps/log/ex-app-log.service.js';
import type { LogLine } from '../apps/log/log-lines.repository.js';
import type { RegistrationSummary } from '../capabilities/capability.js';
import { RegistrationsRepository } from '../capabilities/registrations.repository.js';
import { RegistrationsService } from '../capabilities/registrations.service.js';
import { type BrowserAccess, DeclaredRoutesService } from '../proxy/declared-routes.service.js';

/** The stored state of an app. */
interface AppRecord {
  readonly app: KnownApp;
  readonly browserAccess: BrowserAccess;
  readonly initTimeoutMinutes: number;
  readonly registrations: readonly RegistrationSummary[];
  /** What of them has no effect; one sentence each. */
  readonly registeredInVain: readonly string[];
}

/** Everything an operator needs to diagnose an app. */
export interface Examination extends Omit<AppRecord, 'registrations'> {
  readonly heartbeat: Heartbeat;
  /** Warnings of the host, oldest first. */
  readonly warnings: readonly LogLine[];
}

/** State of an app that all subjects of this room use. */
@Injectable()
export class AppRecordsService {
  constructor(
    private readonly apps: ExAppsService,
    private readonly states: ExAppsRepository,
    private readonly routes: DeclaredRoutesService,
    private readonly registrations: RegistrationsRepository,
    private readonly registered: RegistrationsService,
    private readonly log: ExAppLog,
  ) {}

  async record(appId: string): Promise<AppRecord> {
    return {
      app: await this.apps.find(appId),
      browserAccess: await this.routes.ofApp(appId),
      initTimeoutMinutes: await this.states.initTimeoutMinutes(appId),
      registrations: await this.registrations.summaryOf(appId),
      registeredInVain: await this.registered.warningsOf(appId),
    };
  }

  /** Checks the connection to the app and adds the result to its record. */
  async examine(appId: string): Promise<Examination> {
    const heartbeat = await this.apps.check(await this.apps.open(appId));
    return {
      app: await this.apps.find(appId),
      browserAccess: await this.routes.ofApp(appId),
      initTimeoutMinutes: await this.states.initTimeoutMinutes(appId),
      heartbeat,
      registeredInVain: await this.registered.warningsOf(appId),
      warnings: await this.log.warningsAfter(appId, 0),
    };
  }
}

/** Findings of a higher subject about an app, for `app_api:doctor`. */
interface FindingsOf<Report> {
  /** Name of the findings in JSON. */
  readonly name: string;
  /** @returns null without findings */
  examine(appId: string): Promise<Report | null>;
  /** Rows of the table: label and finding. */
  describe(report: Report): readonly string[][];
}

/** Reports by name, and the same as rows of a table. */
export interface MoreFindings {
  readonly reports: Readonly<Record<string, unknown>>;
  readonly rows: readonly string[][];
}

/** Higher subjects contribute their findings about an app. */
@Injectable()
export class AppFindings {
  readonly #all: ((appId: string) => Promise<MoreFindings>)[] = [];

  add<Report>({ name, examine, describe }: FindingsOf<Report>): void {
    this.#all.push(async (appId) => {
      const report = await examine(appId);
      return { reports: { [name]: report }, rows: report === null ? [] : describe(report) };
    });
  }

  async examine(appId: string): Promise<MoreFindings> {
    const all = await Promise.all(this.#all.map((find) => find(appId)));
    return {
      reports: Object.assign({}, ...all.map(({ reports }) => reports)) as MoreFindings['reports'],
      rows: all.flatMap(({ rows }) => rows),
    };
  }
}
