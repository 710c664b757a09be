import { z } from 'zod';
import { CallingExApp } from '../../common/auth/calling-app.decorator.js';
import { Post } from '../../common/contracts/routes.js';
import { CurrentUser } from '../../common/http/current-user.decorator.js';
import { type In, Input } from '../../common/http/input.decorator.js';
import { orElse } from '../../common/http/loose-inputs.js';
import type { CallingApp } from '../../common/ports/app-credentials.js';
import type { Account } from '../../common/ports/user-directory.js';
import {
  ActingUserGuard,
  OcsGatewayController,
} from '../apps/access/ocs-gateway-controller.decorator.js';
import { hasZeroByte, line, text } from '../field-schemas.js';
import { AppNotificationsService } from './app-notifications.service.js';

const SentNotificationAnswer = z.object({
  app: z.string(),
  user: z.string(),
  datetime: z.string(),
  object_type: z.string(),
  object_id: z.string(),
  subject: z.string(),
  message: z.string(),
  link: z.string(),
  icon: z.string(),
});

const LONGEST_TEXT = 10_000;
const LONGEST_LINK = 4000;
const LONGEST_PARAMETERS = 65_536;

const DEFAULT_OBJECT = 'app_api';

// PHP and Lua encode an empty object as an empty list.
const richParameters = z.preprocess(
  (value) => (Array.isArray(value) && value.length === 0 ? {} : value),
  z
    .record(z.string(), z.record(z.string(), z.unknown(), { error: 'must be an object' }), {
      error: 'must be an object',
    })
    .refine((value) => JSON.stringify(value).length <= LONGEST_PARAMETERS, {
      error: `must have at most ${LONGEST_PARAMETERS} characters of JSON`,
    })
    .refine((value) => !hasZeroByte(value), { error: 'must not contain zero bytes' }),
);

// Clients display it as a link.
const link = line(LONGEST_LINK).refine((value) => value === '' || isWebAddress(value), {
  error: 'must be an http or https address',
});

const subjectParams = z.preprocess(
  (value) => (Array.isArray(value) && value.length === 0 ? {} : value),
  z.object(
    {
      rich_subject: orElse(text(LONGEST_TEXT), ''),
      rich_subject_params: orElse(richParameters, {}),
      rich_message: orElse(text(LONGEST_TEXT), ''),
      rich_message_params: orElse(richParameters, {}),
      link: orElse(link, ''),
    },
    { error: 'must be an object' },
  ),
);

/** @see docs/spec/gateway-api.md "Notification payload" */
export const Notification = z.object({
  params: z
    .object(
      {
        object: orElse(line(64), DEFAULT_OBJECT),
        object_id: orElse(line(64), ''),
        // Only used inside the reference.
        subject_type: orElse(text(64), ''),
        subject_params: z.preprocess((value) => value ?? {}, subjectParams),
      },
      { error: 'must be an object' },
    )
    .transform(({ object, object_id, subject_params: given }) => ({
      objectType: object,
      objectId: object_id,
      subject: { text: given.rich_subject, parameters: given.rich_subject_params },
      message: { text: given.rich_message, parameters: given.rich_message_params },
      link: given.link,
    })),
});

/** Notifies the acting user. */
@OcsGatewayController('apps/app_api/api/v1/notification', ActingUserGuard)
export class AppNotificationsController {
  constructor(private readonly notifications: AppNotificationsService) {}

  /** @returns empty texts, as the reference does, which renders them when they are read */
  @Post('', 'Notifies the user.', SentNotificationAnswer)
  async notify(
    @CallingExApp() { appId }: CallingApp,
    @CurrentUser() { userId }: Account,
    @Input(Notification) { params }: In<typeof Notification>,
  ) {
    const created = await this.notifications.notify(appId, userId, params);
    return {
      app: appId,
      user: userId,
      datetime: new Date(created.createdSeconds * 1000).toISOString().replace(/\.\d+Z$/, '+00:00'),
      object_type: created.objectType,
      object_id: created.objectId,
      subject: '',
      message: '',
      link: '',
      icon: '',
    };
  }
}

function isWebAddress(value: string): boolean {
  return URL.canParse(value) && ['http:', 'https:'].includes(new URL(value).protocol);
}
