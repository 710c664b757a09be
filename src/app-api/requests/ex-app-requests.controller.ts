import { ApiPost } from '../../common/contracts/routes.js';
import { AdminGuard } from '../../common/auth/admin.guard.js';
import { BasicAuthGuard } from '../../common/auth/basic-auth.guard.js';
import { Input } from '../../common/http/input.decorator.js';
import { TakesLargeBodies } from '../../common/http/largest-body.decorator.js';
import { OcsFailure } from '../../common/ocs/envelope.js';
import { OcsController } from '../../common/ocs/ocs-controller.decorator.js';
import { ExAppNotFound } from '../app-api.errors.js';
import { ExAppRequestsService, type RequestResult } from './ex-app-requests.service.js';
import { exAppRequest, type ExAppRequestInput } from './ex-app-request.input.js';
import { AppResponseAnswer } from './ex-app-requests.wire.js';

/** Sends a request of an administrator to an app. */
@TakesLargeBodies()
@OcsController('apps/app_api', { bare: true, guards: [BasicAuthGuard, AdminGuard] })
export class ExAppRequestsController {
  constructor(private readonly requests: ExAppRequestsService) {}

  @ApiPost(
    [
      'api/v1/ex-app/request/:appId',
      'api/v1/ex-app/request/:appId/:userId',
      'ex-app/request/:appId',
      'ex-app/request/:appId/:userId',
    ],
    'Sends a request to an app.',
    AppResponseAnswer,
  )
  async send(@Input(exAppRequest) { appId, ...order }: ExAppRequestInput): Promise<RequestResult> {
    try {
      const result = await this.requests.send(appId, order);
      if ('error' in result) {
        throw new OcsFailure(400, '', result);
      }
      return result;
    } catch (error) {
      if (error instanceof ExAppNotFound) {
        // A success, because callers only check the data for an error.
        return { error: error.message };
      }
      throw error;
    }
  }
}
