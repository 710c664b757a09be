import { Controller, UseGuards } from '@nestjs/common';
import { AdminGuard } from '../../common/auth/admin.guard.js';
import { BasicAuthGuard } from '../../common/auth/basic-auth.guard.js';
import { ApiPost, Get } from '../../common/contracts/routes.js';
import { WorksOnFullDisk } from '../../common/disk/disk-reserve.interceptor.js';
import { InTurn } from '../../common/http/answer-turns.js';
import { CurrentUser } from '../../common/http/current-user.decorator.js';
import type { In } from '../../common/http/input.decorator.js';
import { TakesLargeBodies } from '../../common/http/largest-body.decorator.js';
import type { Account } from '../../common/ports/user-directory.js';
import { ExAppsService } from '../apps/lifecycle/ex-apps.service.js';
import { LifecycleService } from '../apps/lifecycle/lifecycle.service.js';
import { readExAppManifest } from '../apps/manifest/ex-app-manifest.js';
import { AppTrustService } from '../apps/trust/app-trust.service.js';
import { GatewayInput } from '../gateway-input.decorator.js';
import { ServiceProbe } from '../host/service-probe.service.js';
import { AppRecordsService } from './app-records.service.js';
import {
  AppPath,
  LinesOfApp,
  RegisterApp,
  RotateSecret,
  UninstallApp,
  UpdateApp,
} from './ex-app.input.js';
import {
  toAnnouncedJson,
  toBrowserAccessJson,
  toCallsBackJson,
  toLogLineJson,
  toManagedAppJson,
  toTrustJson,
  ManagedAppsAnswer,
  RegisteredAppAnswer,
  UpdatingAnswer,
  NewSecretAnswer,
  ChangedAnswer,
  DisabledAnswer,
  ExAppStatusAnswer,
  AppInfoAnswer,
  AppLogAnswer,
  CheckedAppAnswer,
  EmptyObjectAnswer,
} from './ex-app.wire.js';

/** Plain JSON for the administrator's pages. Long operations continue after the response. */
@Controller('apps/app_api/apps')
@UseGuards(BasicAuthGuard, AdminGuard)
export class AppsAdminController {
  constructor(
    private readonly apps: ExAppsService,
    private readonly records: AppRecordsService,
    private readonly lifecycle: LifecycleService,
    private readonly probe: ServiceProbe,
    private readonly trust: AppTrustService,
  ) {}

  @InTurn()
  @Get('list', 'Lists external apps.', ManagedAppsAnswer)
  async list() {
    return {
      apps: (await this.apps.list('all')).map(toManagedAppJson),
      trust: toTrustJson(await this.trust.answer()),
    };
  }

  /** The secret is not shown again. */
  @TakesLargeBodies()
  @ApiPost('register', 'Registers an app, and begins to install it.', RegisteredAppAnswer)
  async register(
    @GatewayInput(RegisterApp) given: In<typeof RegisterApp>,
    @CurrentUser() account: Account,
  ) {
    const { jsonInfo: json, trustsApps, ...typed } = given;
    const input = readExAppManifest({ ...typed, json });
    if (trustsApps) {
      await this.trust.confirm(account.userId);
    }
    const { secret, ...app } = await this.lifecycle.register(input);
    this.lifecycle.inBackground(app.appId, () => this.lifecycle.install(app.appId));
    return { app: toManagedAppJson(app), secret, environment: input.environment };
  }

  @TakesLargeBodies()
  @ApiPost('update/:appId', 'Begins to update an app.', UpdatingAnswer)
  async update(@GatewayInput(UpdateApp) given: In<typeof UpdateApp>) {
    const { appId, jsonInfo: json, ...typed } = given;
    const input = readExAppManifest({ appId, json, ...typed });
    const begun = await this.lifecycle.isUpdate(appId, input);
    if (begun) {
      this.lifecycle.inBackground(appId, () => this.lifecycle.update(appId, input));
    }
    return { updating: begun };
  }

  /** Besides `register`, the only response that contains a secret. */
  @ApiPost('rotate-secret/:appId', 'Gives an app another secret.', NewSecretAnswer)
  async rotateSecret(@GatewayInput(RotateSecret) { appId, graceSeconds }: In<typeof RotateSecret>) {
    const secret = await this.apps.rotateSecret(appId, graceSeconds);
    return { app: toManagedAppJson(await this.apps.find(appId)), secret };
  }

  @ApiPost('enable/:appId', 'Enables an app.', ChangedAnswer)
  async enable(@GatewayInput(AppPath) { appId }: In<typeof AppPath>) {
    return { changed: await this.lifecycle.enable(appId) };
  }

  @ApiPost('disable/:appId', 'Disables an app.', DisabledAnswer)
  @WorksOnFullDisk()
  async disable(@GatewayInput(AppPath) { appId }: In<typeof AppPath>) {
    return this.lifecycle.disable(appId);
  }

  @Get('status/:appId', 'Tells how far an installation has come.', ExAppStatusAnswer)
  async status(@GatewayInput(AppPath) { appId }: In<typeof AppPath>) {
    return (await this.apps.find(appId)).status;
  }

  /** The stored state of an app; `check` also calls the app. */
  @InTurn()
  @Get('info/:appId', 'Shows what is stored about an app.', AppInfoAnswer)
  async info(@GatewayInput(AppPath) { appId }: In<typeof AppPath>) {
    const { app, browserAccess, initTimeoutMinutes, registrations, registeredInVain } =
      await this.records.record(appId);
    return {
      app: toManagedAppJson(app),
      ...toBrowserAccessJson(browserAccess),
      init_timeout_minutes: initTimeoutMinutes,
      registrations: registrations.map(toAnnouncedJson),
      ...(registeredInVain.length > 0 && { registered_in_vain: registeredInVain }),
    };
  }

  /** The latest log lines of the app and of the host about it, newest first. */
  @InTurn()
  @Get('logs/:appId', 'Shows the latest log lines of an app.', AppLogAnswer)
  async log(@GatewayInput(LinesOfApp) { appId, limit }: In<typeof LinesOfApp>) {
    return { lines: (await this.apps.logOf(appId, limit)).map(toLogLineJson) };
  }

  /** Checks the connection to the app, and the address at which apps call the service. */
  @ApiPost('check/:appId', 'Checks the connection to an app.', CheckedAppAnswer)
  async check(@GatewayInput(AppPath) { appId }: In<typeof AppPath>) {
    const { app, browserAccess, initTimeoutMinutes, heartbeat } = await this.records.examine(appId);
    return {
      app: toManagedAppJson(app),
      ...toBrowserAccessJson(browserAccess),
      init_timeout_minutes: initTimeoutMinutes,
      heartbeat,
      calls_back_at: toCallsBackJson(await this.probe.locate(app.daemonName)),
    };
  }

  @ApiPost('uninstall/:appId', 'Removes an app.', EmptyObjectAnswer)
  @WorksOnFullDisk()
  async uninstall(@GatewayInput(UninstallApp) { appId, keepData, force }: In<typeof UninstallApp>) {
    await this.lifecycle.unregister(appId, { keepData, force });
    return {};
  }
}
