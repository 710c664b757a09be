import { Injectable } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { CommandRefused } from '../../../common/command-line/command-refused.js';
import { DaemonNotFound } from '../../apps/daemons/daemon.js';
import { DaemonsService } from '../../apps/daemons/daemons.service.js';
import { ExAppsRepository } from '../../apps/ex-apps.repository.js';
import type { ExAppManifest } from '../../apps/manifest/ex-app-manifest.js';
import { ServiceProbe } from '../../host/service-probe.service.js';
import type { StartPlan } from './start-plan.js';

/** Default address of an app. */
const USUAL_ADDRESS = 'http://127.0.0.1:9030';

/** An operator's choices for the process of an app. */
type StartChoices = Pick<StartPlan, 'command' | 'device' | 'environment'> & {
  readonly image: string | undefined;
  readonly gatewayUrl: string | undefined;
  readonly baseUrl: string | undefined;
};

/** Collects the contents of the files for starting an app. */
@Injectable()
export class StartPlansService {
  constructor(
    private readonly apps: ExAppsRepository,
    private readonly daemons: DaemonsService,
    private readonly probe: ServiceProbe,
  ) {}

  /**
   * The plan of a registered app, or of a new one, for which a secret is generated.
   *
   * @throws CommandRefused for an invalid image or variable
   */
  async of(
    manifest: ExAppManifest,
    choices: StartChoices,
  ): Promise<{ readonly plan: StartPlan; readonly isRegistered: boolean }> {
    const app = await this.apps.find(manifest.appId);
    const place = app ?? (await this.#placeOf(manifest, choices.baseUrl));
    const { address } = await this.probe.locate(place.daemonName);
    const declared = manifest.environment.map(({ name, default: usual }) => [name, usual] as const);
    const environment = {
      APP_DISPLAY_NAME: app?.name ?? manifest.name,
      ...Object.fromEntries(declared),
      ...choices.environment,
    };
    if ('APP_SECRET' in environment) {
      throw new CommandRefused('APP_SECRET is not given with --env: it has a file of its own.');
    }
    const image = choices.image ?? manifest.image;
    if (image !== undefined && !/^[A-Za-z0-9][\w./:@-]{0,399}$/.test(image)) {
      throw new CommandRefused(`"${image}" cannot be the name of an image.`);
    }
    const plan = {
      appId: manifest.appId,
      version: manifest.versionMissing ? (app?.version ?? manifest.version) : manifest.version,
      baseUrl: app?.baseUrl ?? place.baseUrl,
      gatewayUrl: choices.gatewayUrl ?? address,
      secret: app?.secret ?? manifest.secret ?? randomBytes(64).toString('hex'),
      image,
      command: choices.command,
      device: choices.device,
      environment,
    };
    return { plan, isRegistered: app !== null };
  }

  async #placeOf(manifest: ExAppManifest, baseUrl: string | undefined) {
    const given = { ...manifest, baseUrl: baseUrl ?? manifest.baseUrl };
    try {
      return await this.daemons.placeOf(given);
    } catch (error) {
      if (error instanceof DaemonNotFound && manifest.daemonName === undefined) {
        const port = manifest.port === undefined ? undefined : `http://127.0.0.1:${manifest.port}`;
        return { baseUrl: port ?? USUAL_ADDRESS, daemonName: null };
      }
      throw error;
    }
  }
}
