import type { ApiClient, Answer } from './api-client.js';
import { toOcs, type OcsAnswer } from './external-app.js';

const ROOT = '/ocs/v2.php/apps/spreed/api';

export interface Room {
  readonly token: string;
  readonly type: number;
  readonly name: string;
  readonly displayName: string;
  readonly description: string;
  readonly participantType: number;
  readonly unreadMessages: number;
  readonly unreadMention: boolean;
  readonly lastReadMessage: number;
  readonly lastCommonReadMessage: number;
  readonly readOnly: number;
  readonly lastMessage: ChatMessage;
}

export interface ChatMessage {
  readonly id: number;
  readonly actorType: string;
  readonly actorId: string;
  readonly actorDisplayName: string;
  readonly message: string;
  readonly messageParameters: Readonly<Record<string, unknown>>;
  readonly messageType: string;
  readonly systemMessage: string;
  readonly reactions: Readonly<Record<string, number>>;
  readonly parent?: ChatMessage;
}

export interface Attendee {
  readonly attendeeId: number;
  readonly actorId: string;
  readonly displayName: string;
  readonly participantType: number;
}

/** A user of a chat client. */
export class Chatter {
  constructor(private readonly api: ApiClient) {}

  /** @param path below the root of the chat API, for instance `v4/room` */
  raw(method: string, path: string, json?: unknown): Promise<Answer> {
    return this.api.call(method, `${ROOT}/${path}`, {
      headers: { accept: 'application/json', 'ocs-apirequest': 'true' },
      ...(json === undefined ? {} : { json }),
    });
  }

  async call(method: string, path: string, json?: unknown): Promise<OcsAnswer> {
    return toOcs(await this.raw(method, path, json));
  }

  /** The data of a request that must succeed. */
  async data<Data>(method: string, path: string, json?: unknown): Promise<Data> {
    const { httpStatus, message, data } = await this.call(method, path, json);
    if (httpStatus >= 300) {
      throw new Error(`${method} ${path} answered ${httpStatus}: ${message}`);
    }
    return data as Data;
  }

  /**
   * Creates a group with these users.
   *
   * @returns its token
   */
  async group(roomName: string, ...userIds: readonly string[]): Promise<string> {
    const { token } = await this.data<Room>('POST', 'v4/room', { roomType: 2, roomName });
    for (const newParticipant of userIds) {
      await this.data('POST', `v4/room/${token}/participants`, { newParticipant });
    }
    return token;
  }

  room(token: string): Promise<Room> {
    return this.data<Room>('GET', `v4/room/${token}`);
  }

  rooms(): Promise<Room[]> {
    return this.data<Room[]>('GET', 'v4/room');
  }

  say(token: string, message: string, more: object = {}): Promise<ChatMessage> {
    return this.data<ChatMessage>('POST', `v1/chat/${token}`, { message, ...more });
  }

  /** Newest first. */
  async history(token: string, query = ''): Promise<ChatMessage[]> {
    return this.data<ChatMessage[]>('GET', `v1/chat/${token}?${query}`);
  }

  /** Messages of users and bots, oldest first. */
  async heard(token: string): Promise<string[]> {
    const history = await this.history(token, 'limit=200');
    return history
      .filter(({ messageType }) => messageType === 'comment')
      .map(({ message }) => message)
      .toReversed();
  }

  attendees(token: string): Promise<Attendee[]> {
    return this.data<Attendee[]>('GET', `v4/room/${token}/participants`);
  }

  async attendee(token: string, userId: string): Promise<Attendee> {
    const found = (await this.attendees(token)).find(({ actorId }) => actorId === userId);
    if (found === undefined) {
      throw new Error(`${userId} takes no part in ${token}`);
    }
    return found;
  }

  /** Waits for messages after the given one. */
  poll(token: string, lastKnownMessageId: number, more = 'timeout=30'): Promise<Answer> {
    return this.raw(
      'GET',
      `v1/chat/${token}?lookIntoFuture=1&lastKnownMessageId=${lastKnownMessageId}&${more}`,
    );
  }
}

export function messagesOf(answer: Answer): ChatMessage[] {
  return toOcs(answer).data as ChatMessage[];
}
