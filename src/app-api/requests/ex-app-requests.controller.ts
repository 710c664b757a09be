import { AdminGuard } from '../../common/auth/admin.guard.js';
import { BasicAuthGuard } from '../../common/auth/basic-auth.guard.js';
import { ApiPost } from '../../common/http/api-post.decorator.js';
import { Input } from '../../common/http/input.decorator.js';
import { TakesLargeBodies } from '../../common/http/largest-body.decorator.js';
import { OcsFailure } from '../../common/ocs/envelope.js';
import { OcsController } from '../../common/ocs/ocs-controller.decorator.js';
import { ExAppNotFound } from '../app-api.errors.js';
import { ExAppRequestsService, type RequestResult } from './ex-app-requests.service.js';
import { ExAppsRepository } from '../apps/ex-apps.repository.js';
import { exAppRequest, type ExAppRequestInput } from './ex-app-request.input.js';

/** `POST …/ex-app/request/{appId}[/{userId}]`: an administrator's request to an app. */
@TakesLargeBodies()
@OcsController('apps/app_api', { bare: true, guards: [BasicAuthGuard, AdminGuard] })
export class ExAppRequestsController {
  constructor(
    private readonly apps: ExAppsRepository,
    private readonly requests: ExAppRequestsService,
  ) {}

  @ApiPost([
    'api/v1/ex-app/request/:appId',
    'api/v1/ex-app/request/:appId/:userId',
    'ex-app/request/:appId',
    'ex-app/request/:appId/:userId',
  ])
  async send(@Input(exAppRequest) { appId, ...order }: ExAppRequestInput): Promise<RequestResult> {
    const app = await this.apps.find(appId);
    if (app === null) {
      // A success with an error in it: callers look into the data alone.
      return { error: new ExAppNotFound(appId).message };
    }
    const result = await this.requests.send(app, order);
    if ('error' in result) {
      throw new OcsFailure(400, '', result);
    }
    return result;
  }
}
