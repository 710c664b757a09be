import { toPlainMessageJson } from '../messages/messages.wire.js';
import { PERMISSIONS } from '../participants/participants.wire.js';
import type { ConversationView } from './conversation-views.service.js';
import { ConversationType, isBetweenTwo, isModerator } from './conversation.js';

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
