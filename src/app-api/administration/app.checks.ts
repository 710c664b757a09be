import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { InstallationChecks, type CheckFinding } from '../../common/ports/installation-checks.js';
import { printable } from '../../common/texts/printable.js';
import { ExAppClient } from '../apps/client/ex-app-client.service.js';
import { ExAppsRepository, type ExApp } from '../apps/ex-apps.repository.js';
import { HeartbeatService } from '../apps/lifecycle/heartbeat.service.js';
import { identityOf, type Capability } from '../capabilities/capability.js';
import { RegistrationsRepository } from '../capabilities/registrations.repository.js';
import { RegistrationsService } from '../capabilities/registrations.service.js';

/** Path at which an app is asked for problems with its setup. */
const SETUP_CHECKS_PATH = 'setup_checks';

export const SETUP_CHECKS: Capability<{ readonly actionHandler: string }> = {
  kind: 'setup_check',
  routes: ['v1/setup_check'],
  input: z.object({}).transform(() => ({ actionHandler: SETUP_CHECKS_PATH })),
  keyInput: z.object({}).transform(() => SETUP_CHECKS_PATH),
  keyOf: () => SETUP_CHECKS_PATH,
  toJson: identityOf,
  missing: 'No setup checks',
  mayBeMissing: true,
};

/** Concurrent checks; each takes up to the timeout of a heartbeat. */
const AT_ONCE = 16;

const LIMITS = { timeoutSeconds: 5, maxAnswerBytes: 256 * 1024 };
const MOST_PROBLEMS = 16;
const LONGEST_TEXT = 500;

const line = (text: string) => printable(text).replace(/\s+/g, ' ').trim().slice(0, LONGEST_TEXT);
const text = z.string().catch('').transform(line);

/** An app's answer by check id; null for a check without a problem. */
const Problems = z.record(
  z.string(),
  z
    .object({
      status: z
        .string()
        .trim()
        .toLowerCase()
        .pipe(z.enum(['warning', 'error'])),
      text,
      link_url: z
        .url({ protocol: /^https?$/ })
        .max(2000)
        .catch(''),
      link_label: text,
    })
    .nullable()
    .catch(null),
);

/** Examines enabled apps for `gatefold doctor`: their connections, and their own setup checks. */
@Injectable()
export class AppChecks {
  constructor(
    checks: InstallationChecks,
    private readonly apps: ExAppsRepository,
    private readonly heartbeats: HeartbeatService,
    private readonly registrations: RegistrationsRepository,
    private readonly client: ExAppClient,
    private readonly registered: RegistrationsService,
  ) {
    checks.add('External apps', () => this.#examine());
  }

  async #examine(): Promise<CheckFinding[]> {
    const ids = await this.apps.ids({ enabled: true });
    const findings: CheckFinding[] = [];
    for (let from = 0; from < ids.length; from += AT_ONCE) {
      const some = ids.slice(from, from + AT_ONCE);
      findings.push(...(await Promise.all(some.map((appId) => this.#examineApp(appId)))).flat());
    }
    return findings.length > 0 ? findings : [{ state: 'off', text: 'No app is enabled.' }];
  }

  async #examineApp(appId: string): Promise<CheckFinding[]> {
    const app = await this.apps.find(appId);
    if (app === null) {
      return [{ state: 'off', text: `${appId} was removed.` }];
    }
    const { alive, error } = await this.heartbeats.check(app);
    if (!alive) {
      const advice = `"gatefold app_api:doctor ${appId}" tells more.`;
      return [{ state: 'error', text: `${appId} ${app.version} does not work: ${error}`, advice }];
    }
    const [registered] = await this.registrations.ofApp(appId, SETUP_CHECKS);
    const problems = registered && (await this.#problemsOf(app, registered.fields.actionHandler));
    const warnings = await this.registered.warningsOf(appId);
    return [
      { state: 'ok', text: `${appId} ${app.version} answers.` },
      ...warnings.map((text) => ({ state: 'warning' as const, text: `${appId}: ${text}` })),
      ...(problems ?? []),
    ];
  }

  async #problemsOf(app: ExApp, route: string): Promise<CheckFinding[]> {
    try {
      const { status, body } = await this.client.send(app, { method: 'GET', route, ...LIMITS });
      if (status < 200 || status > 299) {
        throw new Error(`it answered ${status}`);
      }
      const checks = Object.entries(Problems.parse(JSON.parse(body.toString())));
      const problems = checks.flatMap(([id, problem]) => (problem ? [{ id, ...problem }] : []));
      return problems.slice(0, MOST_PROBLEMS).map(({ id, status: state, ...told }) => ({
        state,
        text: told.text
          ? `${app.appId}, ${line(id)}: ${told.text}`
          : `${app.appId}, ${line(id)}: a problem.`,
        ...(told.link_url && { advice: `${told.link_label} ${told.link_url}`.trim() }),
      }));
    } catch (error) {
      const reason = line(error instanceof Error ? error.message : String(error));
      return [{ state: 'warning', text: `${app.appId} does not tell its setup checks: ${reason}` }];
    }
  }
}
