import { z } from 'zod';
import { CallingExApp } from '../../common/auth/calling-app.decorator.js';
import { Get, Post, Put } from '../../common/contracts/routes.js';
import { WorksOnFullDisk } from '../../common/disk/disk-reserve.interceptor.js';
import { CurrentCredential, CurrentUser } from '../../common/http/current-user.decorator.js';
import { type In, Input } from '../../common/http/input.decorator.js';
import { OcsController } from '../../common/ocs/ocs-controller.decorator.js';
import type { CallingApp } from '../../common/ports/app-credentials.js';
import { type Account, type Credential, isInPerson } from '../../common/ports/user-directory.js';
import { ConsentInPerson } from '../app-api.errors.js';
import {
  ActingUserGuard,
  OcsGatewayController,
} from '../apps/access/ocs-gateway-controller.decorator.js';
import type { Consent } from './consents.repository.js';
import { ConsentsService } from './consents.service.js';

const seconds = z.int().describe('Unix seconds.');

const ConsentsAnswer = z.array(
  z.object({
    appId: z.string(),
    name: z.string(),
    state: z.string(),
    asked: seconds.nullable(),
    decided: seconds.nullable(),
    lastUsed: seconds.nullable(),
  }),
);

const ConsentStateAnswer = z.object({ state: z.string() });

const Decision = z.object({
  appId: z.string(),
  state: z.enum(['granted', 'refused'], { error: 'must be granted or refused' }),
});

/** Lists for users the apps that may use the feed reader for them. */
@OcsController('apps/app_api/api/v1/consents')
export class ConsentsController {
  constructor(private readonly consents: ConsentsService) {}

  @Get('', 'Lists the apps that asked for the feed reader of the caller.', ConsentsAnswer)
  async list(@CurrentUser() { userId }: Account) {
    return (await this.consents.list(userId)).map(toConsentJson);
  }

  @Put(':appId', 'Allows or refuses an app the use of the feed reader.', 'nothing')
  @WorksOnFullDisk()
  async decide(
    @CurrentUser() { userId }: Account,
    @CurrentCredential() credential: Credential | undefined,
    @Input(Decision) { appId, state }: In<typeof Decision>,
  ) {
    // An app, or a program, must not allow apps to itself.
    ConsentInPerson.unless(isInPerson(credential));
    await this.consents.decide(appId, userId, state);
    return null;
  }
}

/** Tells apps whether the acting user allows them to use the feed reader. */
@OcsGatewayController('apps/app_api/api/v1/consent/news', ActingUserGuard)
export class OwnConsentController {
  constructor(private readonly consents: ConsentsService) {}

  /** Does not ask the user. */
  @Get('', 'Tells an app whether the user allows it the feed reader.', ConsentStateAnswer)
  async show(@CallingExApp() { appId }: CallingApp, @CurrentUser() { userId }: Account) {
    return { state: await this.consents.stateOf(appId, userId) };
  }

  @Post('', 'Asks the user for the feed reader.', ConsentStateAnswer)
  async ask(@CallingExApp() { appId }: CallingApp, @CurrentUser() { userId }: Account) {
    return { state: await this.consents.ask(appId, userId) };
  }
}

function toConsentJson({ appId, name, state, askedSeconds, decidedSeconds, usedSeconds }: Consent) {
  return {
    appId,
    name,
    state,
    asked: askedSeconds,
    decided: decidedSeconds,
    lastUsed: usedSeconds,
  };
}
