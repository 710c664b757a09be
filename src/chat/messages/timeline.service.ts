import { Injectable } from '@nestjs/common';
import { OpenConnections } from '../../common/http/open-connections.js';
import { ChatSignals } from './chat-signals.js';
import { ConversationsService } from '../conversations/conversations.service.js';
import type { ShownMessage } from './message.js';
import { MessagesService } from './messages.service.js';
import { ReadMarkersService } from '../read-markers/read-markers.service.js';
import type { Overview } from '../conversations/conversations.repository.js';
import { MessagesRepository } from './messages.repository.js';
import { WaitingRoom } from './long-poll-limit.js';

/** Which part of what was said. */
export interface TimelinePage {
  /** 0 for none. */
  readonly lastKnownId: number;
  readonly limit: number;
  /** Gives the last known message once more. */
  readonly includeLastKnown: boolean;
}

export interface Wait {
  readonly timeoutSeconds: number;
  /** What the client believes everybody has read; 0 when it does not care. */
  readonly lastCommonReadId: number;
  /** Moves the reader's marker to the last known message. */
  readonly marksRead: boolean;
  /** Ends when the client is gone. */
  readonly signal: AbortSignal;
}

export interface Timeline {
  readonly messages: readonly ShownMessage[];
  /** Highest message that everybody has read. */
  readonly commonReadId: number;
}

/** Reading what was said, and waiting for more. */
@Injectable()
export class TimelineService {
  constructor(
    private readonly conversations: ConversationsService,
    private readonly messages: MessagesRepository,
    private readonly context: MessagesService,
    private readonly markers: ReadMarkersService,
    private readonly signals: ChatSignals,
    private readonly waitingRoom: WaitingRoom,
    private readonly connections: OpenConnections,
  ) {}

  /**
   * Newest first, from the last known message backwards.
   *
   * @returns null when there is no more
   * @throws ConversationNotFound
   */
  async history(userId: string, token: string, page: TimelinePage): Promise<Timeline | null> {
    const { lastKnownId, limit, includeLastKnown } = page;
    const overview = await this.conversations.show(userId, token);
    const end = lastKnownId === 0 ? Number.MAX_SAFE_INTEGER : lastKnownId;
    const messages = await this.messages.before(
      overview.conversation.id,
      includeLastKnown ? end + 1 : end,
      limit,
    );
    return messages.length === 0
      ? null
      : {
          messages: await this.context.withContext(messages),
          commonReadId: overview.commonReadMessageId,
        };
  }

  /**
   * Oldest first, from the last known message on. Waits until there is something.
   *
   * @returns null when nothing came in time, when the service stops, and when the user may wait no
   *   longer
   * @throws ConversationNotFound also when the user is removed while waiting
   */
  async future(
    userId: string,
    token: string,
    page: TimelinePage,
    wait: Wait,
  ): Promise<Timeline | null> {
    const overview = await this.conversations.show(userId, token);
    if (wait.marksRead && page.lastKnownId > overview.self.lastReadMessageId) {
      await this.markers.advance(overview, page.lastKnownId);
    }
    const done = this.connections.open('waiting chat requests', userId);
    try {
      const place = await this.waitingRoom.enter(userId);
      const gone = AbortSignal.any([wait.signal, place.signal]);
      const over = AbortSignal.any([gone, AbortSignal.timeout(wait.timeoutSeconds * 1000)]);
      try {
        return await this.#news(overview, page, wait.lastCommonReadId, { gone, over });
      } finally {
        place.leave();
      }
    } finally {
      done();
    }
  }

  async #news(
    { conversation, self }: Overview,
    page: TimelinePage,
    lastCommonReadId: number,
    { gone, over }: Readonly<Record<'gone' | 'over', AbortSignal>>,
  ): Promise<Timeline | null> {
    const watch = await this.signals.watch(conversation.id);
    try {
      for (;;) {
        const found = await this.#look(self.userId, conversation.token, page, lastCommonReadId);
        if (gone.aborted) {
          return null;
        }
        if (found !== null || over.aborted || this.signals.stopping) {
          return found;
        }
        await watch.news(over);
      }
    } finally {
      watch.close();
    }
  }

  async #look(
    userId: string,
    token: string,
    { lastKnownId, limit, includeLastKnown }: TimelinePage,
    lastCommonReadId: number,
  ): Promise<Timeline | null> {
    const overview = await this.conversations.show(userId, token);
    const { conversation, commonReadMessageId: commonReadId } = overview;
    const messages = await this.messages.after(
      conversation.id,
      includeLastKnown ? lastKnownId - 1 : lastKnownId,
      limit,
    );
    if (messages.length > 0) {
      return { messages: await this.context.withContext(messages), commonReadId };
    }
    return lastCommonReadId !== 0 && lastCommonReadId !== commonReadId
      ? { messages: [], commonReadId }
      : null;
  }
}
