import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { PublicAddress } from '../../../common/config/public-address.js';
import {
  NotificationCenter,
  NotificationSenders,
  type NewNotification,
  type RichObject,
} from '../../../common/ports/notification-center.js';
import { isBetweenTwo } from './model/conversation.js';
import type { Conversation } from './model/conversations.repository.js';
import { actorParameter, type Actor } from './model/message.js';
import type { Message } from './model/messages.repository.js';

/** App id that clients expect for chat. */
const CHAT_APP_ID = 'spreed';

/** Of a message in a notification. */
const MOST_CHARACTERS = 1000;

const MESSAGE = 'chat';
const INVITATION = 'room';

/** Notifies users of messages and invitations. Only the newest per conversation is kept. */
@Injectable()
export class ChatNotificationsService implements OnModuleInit {
  readonly #logger = new Logger('Chat');

  constructor(
    private readonly center: NotificationCenter,
    private readonly senders: NotificationSenders,
    private readonly address: PublicAddress,
  ) {}

  onModuleInit(): void {
    this.senders.contribute(async () => [CHAT_APP_ID]);
  }

  async message(
    conversation: Conversation,
    { actor, message, parameters }: Message,
    userIds: readonly string[],
  ): Promise<void> {
    const text = isBetweenTwo(conversation)
      ? '{user} sent you a private message'
      : '{user} mentioned you in {call}';
    await this.#notify(conversation, actor, userIds, MESSAGE, text, startOf(message, parameters));
  }

  async invitation(conversation: Conversation, actor: Actor, userId: string): Promise<void> {
    const text = isBetweenTwo(conversation)
      ? '{user} invited you to a private conversation'
      : '{user} invited you to the conversation {call}';
    await this.#notify(conversation, actor, [userId], INVITATION, text);
  }

  /** Call when the user has read the conversation or left it. */
  async withdraw(userId: string, token: string): Promise<void> {
    for (const objectType of [MESSAGE, INVITATION]) {
      await this.center.withdraw({ userId, appId: CHAT_APP_ID, objectType, objectId: token });
    }
  }

  /** Failures are logged only: the message is stored already. */
  async #notify(
    conversation: Conversation,
    actor: Actor,
    userIds: readonly string[],
    objectType: string,
    text: string,
    message: NewNotification['message'] = { text: '', parameters: {} },
  ): Promise<void> {
    const { token } = conversation;
    for (const userId of userIds) {
      const about = { userId, appId: CHAT_APP_ID, objectType, objectId: token };
      try {
        await this.center.withdraw(about);
        await this.center.notify({
          ...about,
          subject: {
            text,
            parameters: { user: actorParameter(actor), call: callParameter(conversation) },
          },
          message,
          link: this.address.of(`apps/spreed/${token}`),
        });
      } catch (error) {
        this.#logger.error(`Notifying ${userId} of conversation ${token} failed: ${String(error)}`);
      }
    }
  }
}

/** A message as notifications show it. */
function startOf(message: string, parameters: Message['parameters']): NewNotification['message'] {
  const text = message.slice(0, MOST_CHARACTERS).toWellFormed();
  const shown = Object.entries(parameters).filter(([name]) => text.includes(`{${name}}`));
  return { text, parameters: Object.fromEntries(shown) };
}

/** The value of a placeholder for a conversation. */
export function callParameter({ token, name, type }: Conversation): RichObject {
  const sort = type === 1 || type === 5 ? 'one2one' : type === 3 ? 'public' : 'group';
  return { type: 'call', id: token, name, 'call-type': sort };
}
