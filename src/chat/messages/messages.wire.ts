import type { BotChoice, InstalledBot } from '../bots/bots.service.js';
import { botActorId } from '../bots/bot-activities.js';
import type { ConversationView } from '../conversations/conversation-views.service.js';
import {
  ConversationType,
  isBetweenTwo,
  isModerator,
  type Conversation,
} from '../conversations/conversation.js';
import type { Mentionable } from './mentions.js';
import type { Message, Reaction, ShownMessage } from './message.js';
import type { NamedParticipant } from '../participants/participants.service.js';

/** Everything but calls: may post, react, and is not kept in a lobby. */
const PERMISSIONS = 8 + 128 + 256;

/** Notify always in one-to-one conversations, on mention elsewhere. */
const NOTIFICATION_LEVEL = { always: 1, onMention: 2 } as const;

/** A bot hears what is said, answers, and hears of reactions. */
const BOT_FEATURES = 1 + 2 + 8;

/** @param userId who looks, for their own reactions */
export function toMessageJson(
  { message, parent, reactions }: ShownMessage,
  token: string,
  userId: string,
) {
  return {
    ...toPlainMessageJson(message, reactions, token),
    ...toOwnReactionsJson(message, reactions, userId),
    ...(parent !== null && {
      parent: {
        ...toPlainMessageJson(parent, reactions, token),
        ...toOwnReactionsJson(parent, reactions, userId),
        ...(parent.kind === 'comment_deleted' && { deleted: true }),
      },
    }),
  };
}

export type MessageJson = ReturnType<typeof toMessageJson>;

function toPlainMessageJson(message: Message, reactions: readonly Reaction[], token: string) {
  const { id, actor, kind, edited } = message;
  return {
    id,
    token,
    actorType: actor.type,
    actorId: actor.id,
    actorDisplayName: actor.displayName,
    timestamp: message.createdSeconds,
    message: message.message,
    messageParameters: message.parameters,
    systemMessage: message.systemMessage,
    messageType: kind,
    isReplyable: kind === 'comment',
    referenceId: message.referenceId,
    expirationTimestamp: 0,
    reactions: countsOf(reactions.filter(({ messageId }) => messageId === id)),
    markdown: kind === 'comment',
    ...(kind === 'comment' && { silent: message.silent }),
    ...(edited !== null && {
      lastEditActorType: edited.actor.type,
      lastEditActorId: edited.actor.id,
      lastEditActorDisplayName: edited.actor.displayName,
      lastEditTimestamp: edited.seconds,
    }),
  };
}

function toOwnReactionsJson({ id }: Message, reactions: readonly Reaction[], userId: string) {
  const own = reactions.filter(
    ({ messageId, actor }) => messageId === id && actor.type === 'users' && actor.id === userId,
  );
  return own.length === 0 ? {} : { reactionsSelf: own.map(({ reaction }) => reaction) };
}

function countsOf(reactions: readonly Reaction[]): Record<string, number> {
  const counts = new Map<string, number>();
  for (const { reaction } of reactions) {
    counts.set(reaction, (counts.get(reaction) ?? 0) + 1);
  }
  return Object.fromEntries(counts);
}

export function toRoomJson(view: ConversationView) {
  const { conversation, self, unreadMessages, lastMessage } = view;
  const { id, token, type, name, description, lastActivitySeconds } = conversation;
  const moderates = isModerator(self);
  const betweenTwo = isBetweenTwo(conversation);
  const unreadMention = self.lastMentionMessageId > self.lastReadMessageId;
  return {
    id,
    token,
    type,
    name: view.otherUserId ?? name,
    displayName: view.displayName,
    description,
    objectType: '',
    objectId: '',
    participantType: self.type,
    attendeeId: self.id,
    attendeePin: '',
    actorType: 'users',
    actorId: self.userId,
    permissions: PERMISSIONS,
    attendeePermissions: 0,
    callPermissions: 0,
    defaultPermissions: 0,
    participantFlags: 0,
    readOnly: type === ConversationType.formerOneToOne ? 1 : 0,
    listable: 0,
    messageExpiration: 0,
    lastPing: 0,
    sessionId: '0',
    hasPassword: false,
    hasCall: false,
    callFlag: 0,
    callStartTime: 0,
    callRecording: 0,
    canStartCall: false,
    canDeleteConversation: moderates && !betweenTwo,
    canLeaveConversation: betweenTwo || !moderates || view.otherModerators > 0,
    lastActivity: lastActivitySeconds,
    avatarVersion: '',
    isCustomAvatar: false,
    breakoutRoomMode: 0,
    breakoutRoomStatus: 0,
    isFavorite: false,
    isArchived: false,
    notificationLevel: betweenTwo ? NOTIFICATION_LEVEL.always : NOTIFICATION_LEVEL.onMention,
    notificationCalls: 0,
    lobbyState: 0,
    lobbyTimer: 0,
    sipEnabled: 0,
    canEnableSIP: false,
    unreadMessages,
    unreadMention,
    unreadMentionDirect: unreadMention,
    lastReadMessage: self.lastReadMessageId,
    lastCommonReadMessage: view.commonReadMessageId,
    lastMessage:
      lastMessage === undefined ? [] : toPlainMessageJson(lastMessage, view.reactions, token),
  };
}

export type RoomJson = ReturnType<typeof toRoomJson>;

export function toParticipantJson({ id, userId, displayName, type }: NamedParticipant) {
  return {
    attendeeId: id,
    actorType: 'users',
    actorId: userId,
    displayName,
    participantType: type,
    lastPing: 0,
    inCall: 0,
    permissions: PERMISSIONS,
    attendeePermissions: 0,
    sessionIds: [],
  };
}

/** By emoji, in the order in which the first of each came. */
export function toReactionsJson(reactions: readonly Reaction[]) {
  const shown = new Map<string, object[]>();
  for (const { reaction, actor, createdSeconds } of reactions) {
    const ofEmoji = shown.get(reaction) ?? [];
    shown.set(reaction, ofEmoji);
    ofEmoji.push({
      actorType: actor.type,
      actorId: actor.id,
      actorDisplayName: actor.displayName,
      timestamp: createdSeconds,
    });
  }
  return Object.fromEntries(shown);
}

/** Those that fit the search, the conversation as a whole first. */
export function toMentionsJson(
  people: readonly Mentionable[],
  conversation: Conversation,
  search: string,
  limit: number,
) {
  const wanted = search.toLowerCase();
  const everybody = { id: 'all', mentionId: 'all', label: conversation.name, source: 'calls' };
  const suggestions = people.map(({ userId, displayName }) => ({
    id: userId,
    mentionId: userId,
    label: displayName,
    source: 'users',
  }));
  return [...(isBetweenTwo(conversation) ? [] : [everybody]), ...suggestions]
    .filter(({ id, label }) => [id, label].some((name) => name.toLowerCase().includes(wanted)))
    .slice(0, limit);
}

export function toBotChoiceJson({ bot: { id, name, description }, enabled }: BotChoice) {
  return { id, name, description, state: enabled ? 1 : 0 };
}

/** @param prefix public address of the installation */
export function toInstalledBotJson(bot: InstalledBot, prefix: string) {
  return {
    id: bot.id,
    name: bot.name,
    description: bot.description,
    // Programs know their bots by its end, which is the route as they wrote it.
    url: `${prefix}/ocs/v2.php/apps/app_api/api/v1/talk_proxy/${bot.appId}/${bot.route.replace(/^\//, '')}`,
    url_hash: botActorId(bot.botId),
    state: 1,
    features: BOT_FEATURES,
    error_count: bot.errorCount,
    last_error_date: bot.lastErrorSeconds,
    last_error_message: bot.lastError === '' ? null : bot.lastError,
  };
}
