import { z } from 'zod';
import type { ConversationView } from './conversation-views.service.js';
import { ConversationType, isBetweenTwo, isModerator } from './model/conversation.js';
import { toPlainMessageJson, PlainMessageSchema } from './plain-message.wire.js';

/** Post (128), react (256) and skip the lobby (8); no calls. */
export const PERMISSIONS = 8 + 128 + 256;

/** Notify always in one-to-one conversations, on mention elsewhere. */
const NOTIFICATION_LEVEL = { always: 1, onMention: 2 } as const;

/** Constant fields for unsupported features of conversations, such as calls. */
const ALWAYS = {
  objectType: '',
  objectId: '',
  attendeePin: '',
  actorType: 'users',
  permissions: PERMISSIONS,
  attendeePermissions: 0,
  callPermissions: 0,
  defaultPermissions: 0,
  participantFlags: 0,
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
  avatarVersion: '',
  isCustomAvatar: false,
  breakoutRoomMode: 0,
  breakoutRoomStatus: 0,
  isFavorite: false,
  isArchived: false,
  notificationCalls: 0,
  lobbyState: 0,
  lobbyTimer: 0,
  sipEnabled: 0,
  canEnableSIP: false,
};

export function toConversationJson(view: ConversationView) {
  const { conversation, self, unreadMessages, lastMessage } = view;
  const { id, token, type, name, description, lastActivitySeconds } = conversation;
  const moderates = isModerator(self);
  const betweenTwo = isBetweenTwo(conversation);
  const unreadMention = self.lastMentionMessageId > self.lastReadMessageId;
  return {
    ...ALWAYS,
    id,
    token,
    type,
    name: view.otherUserId ?? name,
    displayName: view.displayName,
    description,
    participantType: self.type,
    attendeeId: self.id,
    actorId: self.userId,
    readOnly: type === ConversationType.formerOneToOne ? 1 : 0,
    canDeleteConversation: moderates && !betweenTwo,
    canLeaveConversation: betweenTwo || !moderates || view.otherModerators > 0,
    lastActivity: lastActivitySeconds,
    notificationLevel: betweenTwo ? NOTIFICATION_LEVEL.always : NOTIFICATION_LEVEL.onMention,
    unreadMessages,
    unreadMention,
    unreadMentionDirect: unreadMention,
    lastReadMessage: self.lastReadMessageId,
    lastCommonReadMessage: view.commonReadMessageId,
    lastMessage:
      lastMessage === undefined
        ? []
        : toPlainMessageJson(lastMessage, view.reactions.get(lastMessage.id), token),
  };
}

const FORMS: Readonly<Record<string, z.ZodType>> = {
  number: z.int(),
  string: z.string(),
  boolean: z.boolean(),
};

export const ConversationAnswer = z
  .object({
    ...Object.fromEntries(
      Object.entries(ALWAYS).map(([name, value]) => [name, FORMS[typeof value]]),
    ),
    readOnly: z.int(),
    lastActivity: z.int(),
    notificationLevel: z.int(),
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
    actorId: z.string(),
    canDeleteConversation: z.boolean(),
    canLeaveConversation: z.boolean(),
    unreadMention: z.boolean(),
    unreadMentionDirect: z.boolean(),
    lastMessage: z.union([PlainMessageSchema, z.array(z.unknown()).max(0)]),
  })
  .meta({ id: 'Conversation' });

export const ConversationsAnswer = z.array(ConversationAnswer);
