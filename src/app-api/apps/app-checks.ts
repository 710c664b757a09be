import { Injectable } from '@nestjs/common';
import { InstallationChecks, type CheckFinding } from '../../common/ports/installation-checks.js';
import { ExAppsRepository } from './ex-apps.repository.js';
import { HeartbeatService } from './lifecycle/heartbeat.service.js';

/** At the same time; each takes up to the timeout of a heartbeat. */
const AT_ONCE = 16;

/** Examines the connections to enabled apps, for `gatefold doctor`. */
@Injectable()
export class AppChecks {
  constructor(
    checks: InstallationChecks,
    private readonly apps: ExAppsRepository,
    private readonly heartbeats: HeartbeatService,
  ) {
    checks.add('External apps', () => this.#examine());
  }

  async #examine(): Promise<CheckFinding[]> {
    const ids = await this.apps.enabledIds();
    const findings: CheckFinding[] = [];
    for (let from = 0; from < ids.length; from += AT_ONCE) {
      const some = ids.slice(from, from + AT_ONCE);
      findings.push(...(await Promise.all(some.map((appId) => this.#examineApp(appId)))));
    }
    return findings.length > 0 ? findings : [{ state: 'off', text: 'No app is enabled.' }];
  }

  async #examineApp(appId: string): Promise<CheckFinding> {
    const app = await this.apps.find(appId);
    if (app === null) {
      return { state: 'off', text: `${appId} was removed.` };
    }
    const { alive, error } = await this.heartbeats.check(app);
    return alive
      ? { state: 'ok', text: `${appId} ${app.version} answers.` }
      : {
          state: 'error',
          text: `${appId} ${app.version}: ${error}`,
          advice: `"gatefold app_api:doctor ${appId}" tells more.`,
        };
  }
}
