import { Controller, UseGuards } from '@nestjs/common';
import { z } from 'zod';
import { AdminGuard } from '../../common/auth/admin.guard.js';
import { BasicAuthGuard } from '../../common/auth/basic-auth.guard.js';
import { ApiPost, Delete, Get, Put } from '../../common/contracts/routes.js';
import type { In } from '../../common/http/input.decorator.js';
import { orElse } from '../../common/http/loose-inputs.js';
import { DaemonAlreadyRegistered } from '../apps/daemons/daemon.js';
import { MANUAL_INSTALL, type Daemon } from '../apps/daemons/daemon.js';
import { DaemonsService } from '../apps/daemons/daemons.service.js';
import { flag, name, text } from '../field-schemas.js';
import { GatewayInput } from '../gateway-input.decorator.js';
import { AppRecordsService } from './app-records.service.js';
import { EmptyObjectAnswer, HeartbeatSchema } from './ex-app.wire.js';

const DaemonPath = z.object({ name: z.string() });
const DaemonFields = z
  .object({
    name: name(64),
    displayName: text(64).optional(),
    acceptsDeployId: orElse(text(64), MANUAL_INSTALL),
    protocol: orElse(text(16), 'http'),
    host: name(255),
    deployConfig: orElse(z.record(z.string(), z.unknown()), {}),
    isDefault: orElse(flag, false),
  })
  .transform((daemon) => ({ ...daemon, displayName: daemon.displayName ?? daemon.name }));

const DaemonAnswer = z
  .object({
    name: z.string(),
    display_name: z.string(),
    accepts_deploy_id: z.string(),
    protocol: z.string(),
    host: z.string(),
    deploy_config: z.unknown(),
    is_default: z.boolean(),
  })
  .meta({ id: 'Daemon' });

const DaemonsAnswer = z.object({ daemons: z.array(DaemonAnswer) });

const CheckedDaemonAnswer = z.object({
  success: z.boolean(),
  apps: z.array(z.object({ id: z.string(), ...HeartbeatSchema })),
});

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
  async register(@GatewayInput(DaemonFields) daemon: In<typeof DaemonFields>) {
    DaemonAlreadyRegistered.unless(await this.daemons.register(daemon), daemon.name);
    return toDaemonJson(daemon);
  }

  @Put(':name', 'Changes a place where apps run.', DaemonAnswer)
  async change(@GatewayInput(DaemonFields) daemon: In<typeof DaemonFields>) {
    await this.daemons.change(daemon);
    return toDaemonJson(daemon);
  }

  @Delete(':name', 'Removes a place where apps run.', EmptyObjectAnswer)
  async unregister(@GatewayInput(DaemonPath) { name }: In<typeof DaemonPath>) {
    await this.daemons.unregister(name);
    return {};
  }

  /** A daemon has no address to check, so its apps are checked. */
  @ApiPost(':name/check', 'Checks the connections to the apps of a place.', CheckedDaemonAnswer)
  async check(@GatewayInput(DaemonPath) { name }: In<typeof DaemonPath>) {
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

function toDaemonJson(daemon: Daemon) {
  return {
    name: daemon.name,
    display_name: daemon.displayName,
    accepts_deploy_id: daemon.acceptsDeployId,
    protocol: daemon.protocol,
    host: daemon.host,
    deploy_config: daemon.deployConfig,
    is_default: daemon.isDefault,
  };
}
