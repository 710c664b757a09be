import { z } from 'zod';
import { AdminGuard } from '../../common/auth/admin.guard.js';
import { BasicAuthGuard } from '../../common/auth/basic-auth.guard.js';
import { ApiPost } from '../../common/contracts/routes.js';
import { Input } from '../../common/http/input.decorator.js';
import { TakesLargeBodies } from '../../common/http/largest-body.decorator.js';
import { OcsFailure } from '../../common/ocs/envelope.js';
import { OcsController } from '../../common/ocs/ocs-controller.decorator.js';
import { ExAppNotFound } from '../app-api.errors.js';
import { ExAppRequestsService } from './ex-app-requests.service.js';

/** Has only `error` if the app did not respond. */
const AppResponseAnswer = z.union([
  z.object({
    status_code: z.int(),
    headers: z.record(z.string(), z.array(z.string())),
    body: z.string(),
  }),
  z.object({ error: z.string() }),
]);

/** PHP encodes an empty map as an empty list. */
const map = z.preprocess(
  (value) => (value === null || (Array.isArray(value) && value.length === 0) ? {} : value),
  z.record(z.string(), z.unknown()),
);

const headers = z.preprocess(
  (value) => (Array.isArray(value) && value.length === 0 ? {} : value),
  z.record(
    z.string().regex(/^[\w!#$%&'*+.^`|~-]+$/, 'must be the name of a header'),
    z.coerce.string().regex(/^[^\r\n\0]*$/, 'must be one line'),
  ),
);

const part = z.object({
  name: z.string(),
  contents: z.coerce.string(),
  filename: z.string().optional(),
  headers: headers.optional(),
});

const options = z.object({
  headers: headers.optional(),
  timeout: z.coerce.number().min(0, 'must be a number of seconds').optional(),
  query: map.optional(),
  json: z.unknown().optional(),
  multipart: z.array(part).optional(),
});

/** Body and placeholders of `ex-app/request`. */
const exAppRequest = z.object({
  appId: z.string(),
  route: z.string().min(1, 'must be a route of the app'),
  userId: z
    .string()
    .nullish()
    .transform((userId) => userId ?? ''),
  method: z.string().default('POST'),
  params: map.default({}),
  options: z.preprocess(
    (value) => (value === null || Array.isArray(value) ? {} : value),
    options.default({}),
  ),
});

type ExAppRequestInput = z.output<typeof exAppRequest>;

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
  async send(@Input(exAppRequest) { appId, ...order }: ExAppRequestInput) {
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
