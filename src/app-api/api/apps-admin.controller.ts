import { Controller, Get, UseGuards } from '@nestjs/common';
import type { z } from 'zod';
import { AdminGuard } from '../../common/auth/admin.guard.js';
import { BasicAuthGuard } from '../../common/auth/basic-auth.guard.js';
import { ApiPost } from '../../common/http/api-post.decorator.js';
import { ExAppsService } from '../ex-apps.service.js';
import { LifecycleService } from '../lifecycle.service.js';
import { readRegistration } from '../registration-input.js';
import { AppPath, RegisterApp, UninstallApp, UpdateApp } from './ex-app-inputs.js';
import { toManagedAppJson, toRouteJson } from './ex-app-wire.js';
import { GatewayInput } from './gateway-input.decorator.js';

/** Plain JSON for the administrator's pages. What takes long goes on after the answer. */
@Controller('apps/app_api/apps')
@UseGuards(BasicAuthGuard, AdminGuard)
export class AppsAdminController {
  constructor(
    private readonly apps: ExAppsService,
    private readonly lifecycle: LifecycleService,
  ) {}

  @Get('list')
  async list() {
    return { apps: (await this.apps.list('all')).map(toManagedAppJson) };
  }

  /** The secret is in this answer and never again. */
  @ApiPost('register')
  async register(@GatewayInput(RegisterApp) given: z.output<typeof RegisterApp>) {
    const { appId, daemonName, jsonInfo, infoXml } = given;
    const input = readRegistration({ appId, daemonName, json: jsonInfo, infoXml });
    const { secret, ...app } = await this.lifecycle.register(input);
    this.lifecycle.inBackground(app.appId, () => this.lifecycle.install(app.appId));
    return { app: toManagedAppJson(app), secret, environment: input.environment };
  }

  @ApiPost('update/:appId')
  async update(@GatewayInput(UpdateApp) { appId, jsonInfo, infoXml }: z.output<typeof UpdateApp>) {
    const input = readRegistration({ appId, json: jsonInfo, infoXml });
    const begun = await this.lifecycle.isUpdate(appId, input);
    if (begun) {
      this.lifecycle.inBackground(appId, () => this.lifecycle.update(appId, input));
    }
    return { updating: begun };
  }

  @ApiPost('enable/:appId')
  async enable(@GatewayInput(AppPath) { appId }: z.output<typeof AppPath>) {
    return { changed: await this.lifecycle.enable(appId) };
  }

  @ApiPost('disable/:appId')
  async disable(@GatewayInput(AppPath) { appId }: z.output<typeof AppPath>) {
    return this.lifecycle.disable(appId);
  }

  @Get('status/:appId')
  async status(@GatewayInput(AppPath) { appId }: z.output<typeof AppPath>) {
    return (await this.apps.find(appId)).status;
  }

  /** Tries to reach the app now. */
  @ApiPost('check/:appId')
  async check(@GatewayInput(AppPath) { appId }: z.output<typeof AppPath>) {
    const { app, routes, initTimeoutMinutes, heartbeat } = await this.apps.examine(appId);
    return {
      app: toManagedAppJson(app),
      routes: routes.map(toRouteJson),
      init_timeout_minutes: initTimeoutMinutes,
      heartbeat,
    };
  }

  @ApiPost('uninstall/:appId')
  async uninstall(
    @GatewayInput(UninstallApp) { appId, keepData, force }: z.output<typeof UninstallApp>,
  ) {
    await this.lifecycle.unregister(appId, { keepData, force });
    return {};
  }
}
