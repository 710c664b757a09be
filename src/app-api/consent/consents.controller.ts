import { z } from 'zod';
import { Get, Put } from '../../common/contracts/routes.js';
import { CurrentCredential, CurrentUser } from '../../common/http/current-user.decorator.js';
import { WorksOnFullDisk } from '../../common/disk/disk-reserve.interceptor.js';
import { Input, type In } from '../../common/http/input.decorator.js';
import { OcsController } from '../../common/ocs/ocs-controller.decorator.js';
import { isInPerson, type Account, type Credential } from '../../common/ports/user-directory.js';
import { ConsentInPerson } from '../app-api.errors.js';
import type { Consent } from './consents.repository.js';
import { ConsentsService } from './consents.service.js';
import { ConsentsAnswer } from './consent.wire.js';

const Decision = z.object({
  appId: z.string(),
  state: z.enum(['granted', 'refused'], { error: 'must be granted or refused' }),
});

/** For users: the apps that may use the feed reader for them. */
@OcsController('apps/app_api/api/v1/consents')
export class ConsentsController {
  constructor(private readonly consents: ConsentsService) {}

  @Get('', 'Lists the apps that asked for the feed reader of the caller.', ConsentsAnswer)
  async list(@CurrentUser() { userId }: Account): Promise<object[]> {
    return (await this.consents.list(userId)).map(toConsentJson);
  }

  @Put(':appId', 'Allows or refuses an app the use of the feed reader.', 'nothing')
  @WorksOnFullDisk()
  async decide(
    @CurrentUser() { userId }: Account,
    @CurrentCredential() credential: Credential | undefined,
    @Input(Decision) { appId, state }: In<typeof Decision>,
  ): Promise<null> {
    // An app, or a program, must not allow apps to itself.
    if (!isInPerson(credential)) {
      throw new ConsentInPerson();
    }
    await this.consents.decide(appId, userId, state);
    return null;
  }
}

function toConsentJson({
  appId,
  name,
  state,
  askedSeconds,
  decidedSeconds,
  usedSeconds,
}: Consent): object {
  return {
    appId,
    name,
    state,
    asked: askedSeconds,
    decided: decidedSeconds,
    lastUsed: usedSeconds,
  };
}
