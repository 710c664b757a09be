import { defineStore } from 'pinia';
import { computed, ref, shallowRef } from 'vue';
import { RequestFailed } from '../../host/http.js';
import { useNotifications } from '../../host/notifications.store.js';
import { page } from '../../host/page-context.js';
import {
  deleteMessage,
  editMessage,
  enterRoom,
  markRead,
  readHistory,
  sendMessage,
  setReaction,
  waitForMore,
  type ChatMessage,
  type MessagePage,
  type PlainMessage,
} from '../chat-api.js';
import { useConversations } from '../conversations.store.js';
import { longPoll } from './long-poll.js';
import {
  isBy,
  isShown,
  newestIdOf,
  NOTHING_KNOWN,
  withChanged,
  withMessage,
  withNewer,
  withOlder,
  withReaction,
  type OutgoingMessage,
  type Timeline,
} from './timeline-rules.js';

const PAGE_SIZE = 100;
/** Number of messages loaded at once to find the first unread one. */
const MOST_UNREAD_SHOWN = 600;

/** The messages of the open conversation, received and pending. */
export const useTimeline = defineStore('chat-timeline', () => new OpenTimeline());

class OpenTimeline {
  readonly token = ref('');
  readonly state = ref<'loading' | 'shown' | 'missing' | 'failed'>('loading');
  readonly loadingOlder = ref(false);
  readonly isConnected = ref(true);
  /** Whether the newest messages are in view; set by the list. */
  attending = ref(false);
  /** Incremented when participants or their roles change. */
  readonly membershipChanges = ref(0);

  readonly #known = shallowRef(NOTHING_KNOWN);
  readonly messages = computed(() => this.#known.value.messages);
  readonly outgoing = computed(() => this.#known.value.outgoing);
  readonly hasOlder = computed(() => this.#known.value.hasOlder);
  readonly commonReadId = computed(() => this.#known.value.commonReadId);
  readonly dividerAfterId = computed(() => this.#known.value.dividerAfterId);
  readonly latestHeard = computed(() => this.#known.value.latestHeard);
  readonly newestId = computed(() => newestIdOf(this.#known.value));

  readonly #conversations = useConversations();
  readonly #notifications = useNotifications();
  #listening = new AbortController();
  /** Reference ids of messages sent from here, so that they keep their row when confirmed. */
  readonly #sentFromHere = new Set<string>();

  readonly open = async (wanted: string): Promise<void> => {
    this.leave();
    const { signal } = (this.#listening = new AbortController());
    this.token.value = wanted;
    try {
      const room = await enterRoom(wanted, signal);
      this.#conversations.put(room);
      const { lastReadMessage: readUpTo, lastCommonReadMessage: commonReadId } = room;
      const newest = await readHistory(wanted, 0, PAGE_SIZE, signal);
      signal.throwIfAborted();
      this.#know({ readUpTo, commonReadId });
      this.#takeOlder(newest);
      while (
        room.unreadMessages > 0 &&
        this.hasOlder.value &&
        this.#known.value.firstKnownId > readUpTo &&
        this.messages.value.length < MOST_UNREAD_SHOWN
      ) {
        await this.#readOlder(signal);
      }
      this.#know({ dividerAfterId: room.unreadMessages > 0 ? readUpTo : 0 });
      this.state.value = 'shown';
      void this.#listen(wanted, signal);
      this.#settleBell();
    } catch (error) {
      if (!signal.aborted) {
        const isMissing = error instanceof RequestFailed && [403, 404].includes(error.status);
        this.state.value = isMissing ? 'missing' : 'failed';
      }
    }
  };

  readonly leave = (): void => {
    this.#listening.abort();
    this.token.value = '';
    this.state.value = 'loading';
    this.#known.value = NOTHING_KNOWN;
    this.loadingOlder.value = false;
    this.isConnected.value = true;
    this.attending.value = false;
    this.#sentFromHere.clear();
  };

  readonly loadOlder = async (): Promise<void> => {
    if (!this.hasOlder.value || this.loadingOlder.value) {
      return;
    }
    this.loadingOlder.value = true;
    const { signal } = this.#listening;
    try {
      const before = this.messages.value.length;
      // A page may contain only hidden messages.
      while (this.hasOlder.value && this.messages.value.length === before) {
        await this.#readOlder(signal);
      }
    } catch (error) {
      if (!signal.aborted) {
        throw error;
      }
    } finally {
      if (!signal.aborted) {
        this.loadingOlder.value = false;
      }
    }
  };

  async #readOlder(signal: AbortSignal): Promise<void> {
    const { firstKnownId } = this.#known.value;
    const older = await readHistory(this.token.value, firstKnownId, PAGE_SIZE, signal);
    signal.throwIfAborted();
    this.#takeOlder(older);
  }

  #know(change: Partial<Timeline>): void {
    this.#known.value = { ...this.#known.value, ...change };
  }

  #takeOlder({ messages }: MessagePage): void {
    const { userId } = page;
    this.#known.value = withOlder(this.#known.value, messages, { pageSize: PAGE_SIZE, userId });
  }

  async #listen(at: string, signal: AbortSignal): Promise<void> {
    await longPoll(signal, {
      poll: async (attempt) => {
        const { lastKnownId, commonReadId } = this.#known.value;
        const more = await waitForMore(at, lastKnownId, commonReadId, attempt);
        signal.throwIfAborted();
        this.isConnected.value = true;
        this.#takeNewer(more);
        return more.commonReadId !== undefined;
      },
      onFailure: (error, isAborted) => {
        if (error instanceof RequestFailed && error.status === 404) {
          this.#conversations.forget(at);
          this.state.value = 'missing';
          return false;
        }
        this.isConnected.value = navigator.onLine && isAborted;
        return true;
      },
    });
  }

  #takeNewer(more: MessagePage): void {
    const reading = { attending: this.attending.value, userId: page.userId };
    this.#known.value = withNewer(this.#known.value, more, reading);
    this.#noteNewestOf(more.messages);
    if (more.messages.some((one) => one.messageType === 'system' && isShown(one))) {
      this.membershipChanges.value += 1;
      // Ignored: the list of conversations is polled anyway.
      this.#conversations.reload(this.token.value).catch(() => {});
    }
  }

  #noteNewestOf(arrived: readonly ChatMessage[]): void {
    const newest = this.messages.value.at(-1);
    if (newest !== undefined && arrived.some(({ id }) => id === newest.id)) {
      this.#conversations.note(this.token.value, newest);
    }
  }

  readonly send = async (text: string, replyTo: ChatMessage | undefined): Promise<void> => {
    const referenceId = newReferenceId();
    this.#sentFromHere.add(referenceId);
    this.#know({ dividerAfterId: 0 });
    await this.sendAgain({ referenceId, text, replyTo, failed: false });
  };

  readonly discard = ({ referenceId }: OutgoingMessage): void => {
    const outgoing = this.outgoing.value.filter((one) => one.referenceId !== referenceId);
    this.#know({ outgoing });
  };

  readonly sendAgain = async (message: OutgoingMessage): Promise<void> => {
    const { signal } = this.#listening;
    const { referenceId, text, replyTo } = message;
    this.discard(message);
    this.#know({ outgoing: [...this.outgoing.value, { ...message, failed: false }] });
    try {
      const json = { message: text, referenceId, replyTo: replyTo?.id ?? 0 };
      const said = await sendMessage(this.token.value, json);
      if (!signal.aborted) {
        const known = withMessage(this.#known.value, said, page.userId);
        this.#known.value = { ...known, readUpTo: Math.max(known.readUpTo, said.id) };
        this.#noteNewestOf([said]);
      }
    } catch (error) {
      if (!signal.aborted) {
        const outgoing = this.outgoing.value.map((one) =>
          one.referenceId === referenceId ? { ...one, failed: true } : one,
        );
        this.#know({ outgoing });
      }
      throw error;
    }
  };

  /** Optimistic, like the other changes: shown at once and undone when the service refuses. */
  readonly edit = async (message: ChatMessage, text: string): Promise<void> => {
    const lastEditTimestamp = Math.floor(Date.now() / 1000);
    await this.#change(
      message,
      { ...message, message: text, messageParameters: [], lastEditTimestamp },
      async (at) => (await editMessage(at, message.id, text)).parent,
    );
  };

  readonly remove = async (message: ChatMessage): Promise<void> => {
    await this.#change(
      message,
      { ...message, messageType: 'comment_deleted', reactions: [], reactionsSelf: [] },
      async (at) => (await deleteMessage(at, message.id)).parent,
    );
  };

  readonly react = async (message: ChatMessage, emoji: string): Promise<void> => {
    const { given, changed } = withReaction(message, emoji);
    await this.#change(message, changed, async (at) => {
      await setReaction(at, message.id, emoji, given);
      return undefined;
    });
  };

  async #change(
    before: ChatMessage,
    after: ChatMessage,
    work: (token: string) => Promise<PlainMessage | undefined>,
  ): Promise<void> {
    const { signal } = this.#listening;
    const show = (changed: PlainMessage) =>
      this.#know({ messages: withChanged(this.messages.value, changed) });
    show(after);
    try {
      const changed = await work(this.token.value);
      if (changed !== undefined && !signal.aborted) {
        show(changed);
      }
    } catch (error) {
      if (!signal.aborted) {
        show(before);
      }
      throw error;
    }
  }

  /** Moves the read marker to the newest message. */
  readonly read = async (): Promise<void> => {
    const upTo = this.newestId.value;
    const { readUpTo } = this.#known.value;
    if (this.state.value !== 'shown' || upTo <= readUpTo) {
      return;
    }
    const { signal } = this.#listening;
    this.#know({ readUpTo: upTo });
    try {
      this.#conversations.put(await markRead(this.token.value, upTo));
      this.#settleBell();
    } catch {
      // Reported again with the next message.
      if (!signal.aborted) {
        this.#know({ readUpTo });
      }
    }
  };

  /** Dismisses notifications about this conversation. */
  #settleBell(): void {
    if (this.#notifications.notifications.some(({ app }) => app === 'spreed')) {
      this.#notifications.load().catch(() => {});
    }
  }

  /** Stable key of a message, before and after it is confirmed. */
  readonly keyOf = ({ id, referenceId }: ChatMessage): string | number =>
    this.#sentFromHere.has(referenceId) ? referenceId : id;
}

export function isOwn(message: PlainMessage): boolean {
  return isBy(page.userId, message);
}

/** `crypto.randomUUID` needs a secure context. */
function newReferenceId(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
}
