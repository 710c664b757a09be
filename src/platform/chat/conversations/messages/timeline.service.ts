import { Injectable } from '@nestjs/common';
import { AnswerTurns } from '../../../../common/http/answer-turns.js';
import { senderOfUser } from '../../../../common/http/sender.js';
import { Shares } from '../../../../common/http/shares.js';
import { AccessChanges } from '../../../../common/ports/access-changes.js';
import { ChatSignals } from '../chat-signals.service.js';
import { ConversationsService } from '../conversations.service.js';
import type { ConversationSummary } from '../model/conversations.repository.js';
import { MessagesRepository, type Message } from '../model/messages.repository.js';
import { ReadMarkersService } from '../participants/read-markers.service.js';
import { ShownMessagesService, type ShownMessage } from './shown-messages.service.js';

/** Limit; above it, the oldest long poll is ended, since its client has probably disconnected. */
const LONG_POLLS_PER_USER = 30;

interface LongPoll {
  /** Aborts when a newer long poll takes its place, or the user's access changes. */
  readonly signal: AbortSignal;
  end(): void;
}

interface TimelinePage {
  /** 0 for none. */
  readonly lastKnownId: number;
  readonly limit: number;
  /** Returns the last known message again. */
  readonly includeLastKnown: boolean;
}

interface Wait {
  readonly timeoutSeconds: number;
  /** The client's value of `commonReadId`; a change ends the wait. 0 to ignore it. */
  readonly lastCommonReadId: number;
  /** Moves the read marker to the last known message. */
  readonly marksRead: boolean;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
}

export interface Timeline {
  readonly messages: readonly ShownMessage[];
  /** Last message that all participants have read. */
  readonly commonReadId: number;
}

/** Reads messages, and waits for new ones (long polling). */
@Injectable()
export class TimelineService {
  readonly #longPolls = new Map<string, Set<AbortController>>();

  constructor(
    private readonly conversations: ConversationsService,
    private readonly messages: MessagesRepository,
    private readonly shownMessages: ShownMessagesService,
    private readonly markers: ReadMarkersService,
    private readonly signals: ChatSignals,
    private readonly accessChanges: AccessChanges,
    private readonly shares: Shares,
    private readonly turns: AnswerTurns,
  ) {}

  /**
   * Messages before the last known one, newest first.
   *
   * @param gone aborts when the client disconnects
   * @returns null when there are none
   */
  async history(
    userId: string,
    token: string,
    page: TimelinePage,
    gone: AbortSignal,
  ): Promise<Timeline | null> {
    const { lastKnownId, limit, includeLastKnown } = page;
    const summary = await this.conversations.show(userId, token);
    const end = lastKnownId === 0 ? Number.MAX_SAFE_INTEGER : lastKnownId;
    const messages = await this.#inTurn(userId, gone, () =>
      this.messages.before(summary.conversation.id, includeLastKnown ? end + 1 : end, limit),
    );
    return messages.length === 0 ? null : { messages, commonReadId: summary.commonReadMessageId };
  }

  /**
   * Messages after the last known one, oldest first. Waits until there are any.
   *
   * @returns null after the timeout, when the service stops, and when a newer long poll
   *   takes its place or the user's access changes
   * @throws ConversationNotFound also when the user is removed while waiting
   */
  async future(
    userId: string,
    token: string,
    page: TimelinePage,
    wait: Wait,
  ): Promise<Timeline | null> {
    const summary = await this.conversations.show(userId, token);
    if (wait.marksRead && page.lastKnownId > summary.self.lastReadMessageId) {
      await this.markers.advance(summary, page.lastKnownId);
    }
    const done = this.shares.take('waiting chat requests', userId);
    try {
      const longPoll = await this.#beginLongPoll(userId);
      const gone = AbortSignal.any([wait.signal, longPoll.signal]);
      const over = AbortSignal.any([gone, AbortSignal.timeout(wait.timeoutSeconds * 1000)]);
      try {
        return await this.#waitForMessages(summary, page, wait.lastCommonReadId, { gone, over });
      } finally {
        longPoll.end();
      }
    } finally {
      done();
    }
  }

  async #beginLongPoll(userId: string): Promise<LongPoll> {
    const watch = await this.accessChanges.watch(userId);
    const replaced = new AbortController();
    const ofUser = this.#longPolls.get(userId) ?? new Set();
    this.#longPolls.set(userId, ofUser.add(replaced));
    const [oldest] = ofUser;
    if (ofUser.size > LONG_POLLS_PER_USER && oldest !== undefined) {
      ofUser.delete(oldest);
      oldest.abort();
    }
    const end = () => {
      watch.close();
      ofUser.delete(replaced);
      if (ofUser.size === 0 && this.#longPolls.get(userId) === ofUser) {
        this.#longPolls.delete(userId);
      }
    };
    return { signal: AbortSignal.any([watch.signal, replaced.signal]), end };
  }

  async #waitForMessages(
    { conversation, self }: ConversationSummary,
    page: TimelinePage,
    lastCommonReadId: number,
    { gone, over }: Readonly<Record<'gone' | 'over', AbortSignal>>,
  ): Promise<Timeline | null> {
    const watch = await this.signals.watch(conversation.id);
    try {
      for (;;) {
        const found = await this.#find(self.userId, conversation.token, page, {
          lastCommonReadId,
          gone,
        });
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

  /** @returns none when the client has gone while others of the user were read */
  async #inTurn(
    userId: string,
    gone: AbortSignal,
    read: () => Promise<Message[]>,
  ): Promise<ShownMessage[]> {
    const end = await this.turns.begin(senderOfUser(userId).key);
    try {
      return gone.aborted ? [] : await this.shownMessages.of(await read(), userId);
    } finally {
      end();
    }
  }

  async #find(
    userId: string,
    token: string,
    { lastKnownId, limit, includeLastKnown }: TimelinePage,
    { lastCommonReadId, gone }: { readonly lastCommonReadId: number; readonly gone: AbortSignal },
  ): Promise<Timeline | null> {
    const summary = await this.conversations.show(userId, token);
    const { conversation, commonReadMessageId: commonReadId } = summary;
    const start = includeLastKnown ? lastKnownId - 1 : lastKnownId;
    const messages = await this.#inTurn(userId, gone, () =>
      this.messages.after(conversation.id, start, limit),
    );
    if (messages.length > 0) {
      return { messages, commonReadId };
    }
    return lastCommonReadId !== 0 && lastCommonReadId !== commonReadId
      ? { messages: [], commonReadId }
      : null;
  }
}
