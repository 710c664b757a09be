import { Controller, UseGuards } from '@nestjs/common';
import type { z } from 'zod';
import { ApiPost, Delete, Get, Put } from '../../common/contracts/routes.js';
import { AdminGuard } from '../../common/auth/admin.guard.js';
import { BasicAuthGuard } from '../../common/auth/basic-auth.guard.js';
import { DaemonsService } from '../apps/daemons/daemons.service.js';
import { DaemonAlreadyRegistered } from '../apps/daemons/daemons.errors.js';
import { DaemonFields, DaemonPath } from './ex-app.input.js';
import {
  toDaemonJson,
  DaemonsAnswer,
  DaemonAnswer,
  EmptyObjectAnswer,
  CheckedDaemonAnswer,
} from './ex-app.wire.js';
import { GatewayInput } from '../gateway-input.decorator.js';
import { AppRecordsService } from './app-records.service.js';

/** Plain JSON for the administrator's pages: where apps run. */
@Controller('apps/app_api/daemons')
@UseGuards(BasicAuthGuard, AdminGuard)
export class DaemonsController {
  constructor(
    private readonly daemons: DaemonsService,
    private readonly apps: AppRecordsService,
  ) {}

  @Get('', 'Lists where apps run.', DaemonsAnswer)
  async list() {
    return { daemons: (await this.daemons.list()).map(toDaemonJson) };
  }

  @ApiPost('', 'Registers a place where apps run.', DaemonAnswer)
  async register(@GatewayInput(DaemonFields) daemon: z.output<typeof DaemonFields>) {
    if (!(await this.daemons.register(daemon))) {
      throw new DaemonAlreadyRegistered(daemon.name);
    }
    return toDaemonJson(daemon);
  }

  @Put(':name', 'Changes a place where apps run.', DaemonAnswer)
  async change(@GatewayInput(DaemonFields) daemon: z.output<typeof DaemonFields>) {
    await this.daemons.change(daemon);
    return toDaemonJson(daemon);
  }

  @Delete(':name', 'Removes a place where apps run.', EmptyObjectAnswer)
  async unregister(@GatewayInput(DaemonPath) { name }: z.output<typeof DaemonPath>) {
    await this.daemons.unregister(name);
    return {};
  }

  /** A daemon has no address to check, so its apps are checked. */
  @ApiPost(':name/check', 'Checks the connections to the apps of a place.', CheckedDaemonAnswer)
  async check(@GatewayInput(DaemonPath) { name }: z.output<typeof DaemonPath>) {
    await this.daemons.find(name);
    const examinations = await Promise.all(
      (await this.daemons.appsOf(name)).map((appId) => this.apps.examine(appId)),
    );
    return {
      success: examinations.every(({ heartbeat }) => heartbeat.alive),
      apps: examinations.map(({ app, heartbeat }) => ({ id: app.appId, ...heartbeat })),
    };
  }
}
