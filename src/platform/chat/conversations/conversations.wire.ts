import { z } from 'zod';
import { toPlainMessageJson, PlainMessageSchema } from './messages/messages.wire.js';
import type { ConversationView } from './conversation-views.service.js';
import { ConversationType, isBetweenTwo, isModerator } from './conversation.js';

/** Post (128), react (256) and skip the lobby (8); no calls. */
export const PERMISSIONS = 8 + 128 + 256;

/** Notify always in one-to-one conversations, on mention elsewhere. */
const NOTIFICATION_LEVEL = { always: 1, onMention: 2 } as const;

export function toConversationJson(view: ConversationView) {
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

export type ConversationJson = ReturnType<typeof toConversationJson>;

export const ConversationAnswer = z
  .object({
    permissions: z.int(),
    attendeePermissions: z.int(),
    callPermissions: z.int(),
    defaultPermissions: z.int(),
    participantFlags: z.int(),
    readOnly: z.int(),
    listable: z.int(),
    messageExpiration: z.int(),
    lastPing: z.int(),
    callFlag: z.int(),
    callStartTime: z.int(),
    callRecording: z.int(),
    lastActivity: z.int(),
    breakoutRoomMode: z.int(),
    breakoutRoomStatus: z.int(),
    notificationLevel: z.int(),
    notificationCalls: z.int(),
    lobbyState: z.int(),
    lobbyTimer: z.int(),
    sipEnabled: z.int(),
    unreadMessages: z.int(),
    lastReadMessage: z.int(),
    lastCommonReadMessage: z.int(),
    id: z.int(),
    type: z.int(),
    participantType: z.int(),
    attendeeId: z.int(),
    token: z.string(),
    name: z.string(),
    displayName: z.string(),
    description: z.string(),
    objectType: z.string(),
    objectId: z.string(),
    attendeePin: z.string(),
    actorType: z.string(),
    actorId: z.string(),
    sessionId: z.string(),
    avatarVersion: z.string(),
    hasPassword: z.boolean(),
    hasCall: z.boolean(),
    canStartCall: z.boolean(),
    canDeleteConversation: z.boolean(),
    canLeaveConversation: z.boolean(),
    isCustomAvatar: z.boolean(),
    isFavorite: z.boolean(),
    isArchived: z.boolean(),
    canEnableSIP: z.boolean(),
    unreadMention: z.boolean(),
    unreadMentionDirect: z.boolean(),
    lastMessage: z.union([PlainMessageSchema, z.array(z.unknown()).max(0)]),
  })
  .meta({ id: 'Conversation' });

export const ConversationsAnswer = z.array(ConversationAnswer);
