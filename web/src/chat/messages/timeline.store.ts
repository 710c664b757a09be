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

/** A message not yet confirmed by the service. */
export interface OutgoingMessage {
  /** Client-generated key that identifies the confirmed message. */
  readonly referenceId: string;
  readonly text: string;
  readonly replyTo: ChatMessage | undefined;
  readonly failed: boolean;
}

const PAGE_SIZE = 100;
/** Number of messages loaded at once to find the first unread one. */
const MOST_UNREAD_SHOWN = 600;

/** System messages that only announce a change of another message; never shown. */
const TECHNICAL = new Set(['message_edited', 'message_deleted', 'reaction', 'reaction_revoked']);

/** The messages of the open conversation, received and pending. */
export const useTimeline = defineStore('chat-timeline', () => {
  const conversations = useConversations();
  const notifications = useNotifications();

  const token = ref('');
  const state = ref<'loading' | 'shown' | 'missing' | 'failed'>('loading');
  /** Oldest first. */
  const messages = shallowRef<readonly ChatMessage[]>([]);
  const outgoing = ref<readonly OutgoingMessage[]>([]);
  const hasOlder = ref(false);
  const loadingOlder = ref(false);
  const isConnected = ref(true);
  /** Latest message read by all participants. */
  const commonReadId = ref(0);
  /** Id after which the divider for new messages is shown; 0: none. */
  const dividerAfterId = ref(0);
  /** Latest message of another person since the conversation was opened. */
  const latestHeard = shallowRef<ChatMessage>();
  /** Whether the newest messages are in view; set by the list. */
  const attending = ref(false);
  /** Incremented when participants or their roles change. */
  const membershipChanges = ref(0);

  const newestId = computed(() => messages.value.at(-1)?.id ?? 0);
  const oldestId = computed(() => messages.value[0]?.id ?? 0);

  let listening = new AbortController();
  /** Newest received id, including hidden messages. */
  let lastKnownId = 0;
  /** Oldest received id, including hidden messages. */
  let firstKnownId = 0;
  /** Read marker as reported to the service. */
  let readUpTo = 0;
  /** Reference ids of messages sent from here, so that they keep their row when confirmed. */
  const sentFromHere = new Set<string>();

  async function open(wanted: string): Promise<void> {
    leave();
    const { signal } = (listening = new AbortController());
    token.value = wanted;
    try {
      const room = await enterRoom(wanted, signal);
      conversations.put(room);
      const newest = await readHistory(wanted, 0, PAGE_SIZE, signal);
      signal.throwIfAborted();
      readUpTo = room.lastReadMessage;
      commonReadId.value = room.lastCommonReadMessage;
      lastKnownId = newest.messages.at(-1)?.id ?? 0;
      takeOlder(newest);
      while (
        room.unreadMessages > 0 &&
        hasOlder.value &&
        firstKnownId > readUpTo &&
        messages.value.length < MOST_UNREAD_SHOWN
      ) {
        const older = await readHistory(wanted, firstKnownId, PAGE_SIZE, signal);
        signal.throwIfAborted();
        takeOlder(older);
      }
      dividerAfterId.value = room.unreadMessages > 0 ? readUpTo : 0;
      state.value = 'shown';
      void listen(wanted, signal);
      settleBell();
    } catch (error) {
      if (!signal.aborted) {
        const isMissing = error instanceof RequestFailed && [403, 404].includes(error.status);
        state.value = isMissing ? 'missing' : 'failed';
      }
    }
  }

  function leave(): void {
    listening.abort();
    token.value = '';
    state.value = 'loading';
    messages.value = [];
    outgoing.value = [];
    hasOlder.value = false;
    loadingOlder.value = false;
    isConnected.value = true;
    dividerAfterId.value = 0;
    latestHeard.value = undefined;
    attending.value = false;
    lastKnownId = 0;
    firstKnownId = 0;
    readUpTo = 0;
    sentFromHere.clear();
  }

  async function loadOlder(): Promise<void> {
    if (!hasOlder.value || loadingOlder.value) {
      return;
    }
    loadingOlder.value = true;
    const { signal } = listening;
    try {
      const before = messages.value.length;
      // A page may contain only hidden messages.
      while (hasOlder.value && messages.value.length === before) {
        const older = await readHistory(token.value, firstKnownId, PAGE_SIZE, signal);
        signal.throwIfAborted();
        takeOlder(older);
      }
    } catch (error) {
      if (!signal.aborted) {
        throw error;
      }
    } finally {
      if (!signal.aborted) {
        loadingOlder.value = false;
      }
    }
  }

  function takeOlder({ messages: older }: MessagePage): void {
    hasOlder.value = older.length >= PAGE_SIZE;
    firstKnownId = older[0]?.id ?? firstKnownId;
    settle(older);
    // A message may have been sent, and confirmed, while this page was on its way.
    const known = new Map(
      [...older.filter(isShown), ...messages.value].map((one) => [one.id, one]),
    );
    messages.value = [...known.values()].toSorted((a, b) => a.id - b.id);
  }

  /** Removes what was sent from here and has arrived. */
  function settle(arrived: readonly ChatMessage[]): void {
    const references = new Set(arrived.filter(isOwn).map(({ referenceId }) => referenceId));
    outgoing.value = outgoing.value.filter(({ referenceId }) => !references.has(referenceId));
  }

  async function listen(at: string, signal: AbortSignal): Promise<void> {
    await longPoll(signal, {
      async poll(attempt) {
        const more = await waitForMore(at, lastKnownId, commonReadId.value, attempt);
        signal.throwIfAborted();
        isConnected.value = true;
        takeNewer(more);
        return more.commonReadId !== undefined;
      },
      onFailure(error, isAborted) {
        if (error instanceof RequestFailed && error.status === 404) {
          conversations.forget(at);
          state.value = 'missing';
          return false;
        }
        isConnected.value = navigator.onLine && isAborted;
        return true;
      },
    });
  }

  function takeNewer(more: MessagePage): void {
    commonReadId.value = more.commonReadId ?? commonReadId.value;
    const before = newestId.value;
    for (const message of more.messages) {
      lastKnownId = Math.max(lastKnownId, message.id);
      if (message.parent !== undefined && TECHNICAL.has(message.systemMessage)) {
        refresh(message.parent);
      } else if (isShown(message)) {
        put(message);
      }
    }
    if (more.messages.some((one) => one.messageType === 'system' && isShown(one))) {
      membershipChanges.value += 1;
      // Ignored: the list of conversations is polled anyway.
      conversations.reload(token.value).catch(() => {});
    }
    const heard = more.messages.filter((one) => isShown(one) && !isOwn(one) && one.id > before);
    const latest = heard.at(-1);
    if (latest === undefined) {
      return;
    }
    latestHeard.value = latest;
    if (!attending.value && (dividerAfterId.value === 0 || readUpTo >= before)) {
      dividerAfterId.value = before;
    }
  }

  /** Adds a message; the answer to sending it and the poll may both deliver it. */
  function put(message: ChatMessage): void {
    settle([message]);
    const others = messages.value.filter(({ id }) => id !== message.id);
    const after = others.findLastIndex(({ id }) => id < message.id) + 1;
    messages.value = others.toSpliced(after, 0, message);
    if (after === others.length) {
      conversations.note(token.value, message);
    }
  }

  /** Replaces a message in the list and in quotes of it. */
  function refresh(changed: PlainMessage): void {
    messages.value = messages.value.map((message) => {
      if (message.id === changed.id) {
        const { parent } = message;
        return { ...changed, ...(parent !== undefined && { parent }) };
      }
      return message.parent?.id === changed.id ? { ...message, parent: changed } : message;
    });
  }

  async function send(text: string, replyTo: ChatMessage | undefined): Promise<void> {
    const referenceId = newReferenceId();
    sentFromHere.add(referenceId);
    dividerAfterId.value = 0;
    await transmit({ referenceId, text, replyTo, failed: false });
  }

  async function sendAgain(message: OutgoingMessage): Promise<void> {
    await transmit({ ...message, failed: false });
  }

  function discard({ referenceId }: OutgoingMessage): void {
    outgoing.value = outgoing.value.filter((one) => one.referenceId !== referenceId);
  }

  async function transmit(message: OutgoingMessage): Promise<void> {
    const at = token.value;
    const { signal } = listening;
    const { referenceId, text, replyTo } = message;
    outgoing.value = [...outgoing.value.filter((one) => one.referenceId !== referenceId), message];
    try {
      const said = await sendMessage(at, {
        message: text,
        referenceId,
        replyTo: replyTo?.id ?? 0,
      });
      if (!signal.aborted) {
        readUpTo = Math.max(readUpTo, said.id);
        put(said);
      }
    } catch (error) {
      if (!signal.aborted) {
        outgoing.value = outgoing.value.map((one) =>
          one.referenceId === referenceId ? { ...one, failed: true } : one,
        );
      }
      throw error;
    }
  }

  /** Optimistic, like the other changes: shown at once and undone when the service refuses. */
  async function edit(message: ChatMessage, text: string): Promise<void> {
    const lastEditTimestamp = Math.floor(Date.now() / 1000);
    await change(
      message,
      { ...message, message: text, messageParameters: [], lastEditTimestamp },
      async (at) => (await editMessage(at, message.id, text)).parent,
    );
  }

  async function remove(message: ChatMessage): Promise<void> {
    await change(
      message,
      { ...message, messageType: 'comment_deleted', reactions: [], reactionsSelf: [] },
      async (at) => (await deleteMessage(at, message.id)).parent,
    );
  }

  async function react(message: ChatMessage, emoji: string): Promise<void> {
    const own = message.reactionsSelf ?? [];
    const given = !own.includes(emoji);
    const counts = new Map(Object.entries(message.reactions));
    counts.set(emoji, (counts.get(emoji) ?? 0) + (given ? 1 : -1));
    await change(
      message,
      {
        ...message,
        reactions: Object.fromEntries([...counts].filter(([, count]) => count > 0)),
        reactionsSelf: given ? [...own, emoji] : own.filter((one) => one !== emoji),
      },
      async (at) => {
        await setReaction(at, message.id, emoji, given);
        return undefined;
      },
    );
  }

  async function change(
    before: ChatMessage,
    after: ChatMessage,
    work: (token: string) => Promise<PlainMessage | undefined>,
  ): Promise<void> {
    const { signal } = listening;
    refresh(after);
    try {
      const changed = await work(token.value);
      if (changed !== undefined && !signal.aborted) {
        refresh(changed);
      }
    } catch (error) {
      if (!signal.aborted) {
        refresh(before);
      }
      throw error;
    }
  }

  /** Moves the read marker to the newest message. */
  async function read(): Promise<void> {
    const at = token.value;
    const upTo = newestId.value;
    if (state.value !== 'shown' || upTo <= readUpTo) {
      return;
    }
    const { signal } = listening;
    const before = readUpTo;
    readUpTo = upTo;
    try {
      conversations.put(await markRead(at, upTo));
      settleBell();
    } catch {
      // Reported again with the next message.
      if (!signal.aborted) {
        readUpTo = before;
      }
    }
  }

  /** Dismisses notifications about this conversation. */
  function settleBell(): void {
    if (notifications.notifications.some(({ app }) => app === 'spreed')) {
      notifications.load().catch(() => {});
    }
  }

  /** Stable key of a message, before and after it is confirmed. */
  function keyOf({ id, referenceId }: ChatMessage): string | number {
    return sentFromHere.has(referenceId) ? referenceId : id;
  }

  return {
    token,
    state,
    messages,
    outgoing,
    hasOlder,
    loadingOlder,
    isConnected,
    commonReadId,
    dividerAfterId,
    latestHeard,
    attending,
    membershipChanges,
    newestId,
    oldestId,
    open,
    leave,
    loadOlder,
    send,
    sendAgain,
    discard,
    edit,
    remove,
    react,
    read,
    keyOf,
  };
});

export function isOwn({ actorType, actorId }: PlainMessage): boolean {
  return actorType === 'users' && actorId === page.userId;
}

function isShown({ systemMessage }: PlainMessage): boolean {
  return !TECHNICAL.has(systemMessage);
}

/** `crypto.randomUUID` needs a secure context. */
function newReferenceId(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
}
