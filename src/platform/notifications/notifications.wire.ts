import { z } from 'zod';
import { shownSentence } from '../../common/texts/visitor-language.js';
import type { Notification, RichText } from '../../common/ports/notification-center.js';

/** A notification in the host's OCS API. */
export type NotificationJson = ReturnType<typeof toNotificationJson>;

export function toNotificationJson(
  { id, userId, appId, createdSeconds, objectType, objectId, link, ...texts }: Notification,
  icon: string,
) {
  const [subject, message] = [shown(texts.subject), shown(texts.message)];
  return {
    notification_id: id,
    app: appId,
    user: userId,
    datetime: toDateTime(createdSeconds),
    object_type: objectType,
    object_id: objectId,
    subject: plainTextOf(subject),
    subjectRich: subject.text,
    subjectRichParameters: subject.parameters,
    message: plainTextOf(message),
    messageRich: message.text,
    messageRichParameters: message.parameters,
    link,
    icon,
    shouldNotify: true,
    actions: [],
  };
}

/** Sentences of the host in the language of the reader; apps write theirs in one language. */
function shown({ text, parameters }: RichText): RichText {
  return { text: shownSentence(text), parameters };
}

/** The text with placeholders replaced by names, for clients without rich objects. */
function plainTextOf({ text, parameters }: RichText): string {
  return text.replace(/\{([^{}]+)\}/g, (token, placeholder: string) => {
    const name = Object.hasOwn(parameters, placeholder) && parameters[placeholder]?.['name'];
    return typeof name === 'string' || typeof name === 'number' ? String(name) : token;
  });
}

/** Without fractions and with a numeric offset, the only form that clients parse. */
function toDateTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace(/\.\d+Z$/, '+00:00');
}

const richObjects = z.record(z.string(), z.record(z.string(), z.unknown()));

const NotificationSchema = z
  .object({
    notification_id: z.int(),
    app: z.string(),
    user: z.string(),
    datetime: z.string(),
    object_type: z.string(),
    object_id: z.string(),
    subject: z.string(),
    subjectRich: z.string(),
    subjectRichParameters: richObjects,
    message: z.string(),
    messageRich: z.string(),
    messageRichParameters: richObjects,
    link: z.string(),
    icon: z.string(),
    shouldNotify: z.boolean(),
    actions: z.array(z.unknown()).max(0),
  })
  .meta({ id: 'Notification' });

export const NotificationAnswer = NotificationSchema;

export const NotificationsAnswer = z.array(NotificationSchema);

export const ExistingIdsAnswer = z.array(z.int());
