import { Injectable, type OnModuleInit } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { Capabilities } from '../../../common/ports/capabilities.js';
import { MAX_MESSAGE_CHARACTERS } from './model/message.js';

/** Feature names of the Talk protocol. */
const FEATURES = [
  'bots-v1',
  'chat-read-last',
  'chat-read-marker',
  'chat-read-status',
  'chat-reference-id',
  'chat-replies',
  'chat-unread',
  'chat-v2',
  'conversation-v4',
  'delete-messages',
  'delete-messages-unlimited',
  'direct-mention-flag',
  'edit-messages',
  'empty-group-room',
  'last-room-activity',
  'locked-one-to-one-rooms',
  'markdown-messages',
  'mention-flag',
  'no-ping',
  'reactions',
  'room-description',
  'silent-send',
  'silent-send-state',
  'system-messages',
] as const;

const SPREED = {
  features: FEATURES,
  config: {
    call: { enabled: false },
    // read-privacy 0: read markers are visible to other participants.
    chat: { 'max-length': MAX_MESSAGE_CHARACTERS, 'read-privacy': 0 },
    conversations: { 'can-create': true },
  },
} as const;

/** Clients reload the capabilities when it changes. */
export const CAPABILITIES_HASH = createHash('sha1').update(JSON.stringify(SPREED)).digest('hex');

/** Answers anonymous requests too: external apps check without a user whether bots are supported. */
@Injectable()
export class ChatCapabilities implements OnModuleInit {
  constructor(private readonly capabilities: Capabilities) {}

  onModuleInit(): void {
    this.capabilities.contribute(() => ({ spreed: SPREED }));
  }
}
