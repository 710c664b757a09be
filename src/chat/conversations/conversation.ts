/** What sort of conversation, as the protocol numbers them. */
export const ConversationType = {
  oneToOne: 1,
  group: 2,
  public: 3,
  /** One-to-one with an account that is gone: to be read, not to be written. */
  formerOneToOne: 5,
} as const;

export type ConversationType = (typeof ConversationType)[keyof typeof ConversationType];

/** What a participant may do, as the protocol numbers it. */
export const ParticipantType = {
  owner: 1,
  moderator: 2,
  user: 3,
  /** Came by the address of a public conversation. */
  selfJoined: 5,
} as const;

export type ParticipantType = (typeof ParticipantType)[keyof typeof ParticipantType];

export interface Conversation {
  readonly id: number;
  readonly token: string;
  readonly type: ConversationType;
  /** Empty for one-to-one. */
  readonly name: string;
  readonly description: string;
  /** Of one-to-one: both user ids, also of one who has left. */
  readonly pair: readonly string[] | null;
  readonly lastMessageId: number | null;
  /** Unix seconds. */
  readonly lastActivitySeconds: number;
}

export interface Participant {
  /** Clients call it the attendee's id. */
  readonly id: number;
  readonly conversationId: number;
  readonly userId: string;
  readonly type: ParticipantType;
  readonly lastReadMessageId: number;
  readonly lastMentionMessageId: number;
}

/** A conversation as one of its participants has it before them. */
export interface Membership {
  readonly conversation: Conversation;
  readonly self: Participant;
}

export function isModerator({ type }: Pick<Participant, 'type'>): boolean {
  return type === ParticipantType.owner || type === ParticipantType.moderator;
}

/** Whether it is between two people, for good or until one of them was gone. */
export function isBetweenTwo({ type }: Pick<Conversation, 'type'>): boolean {
  return type === ConversationType.oneToOne || type === ConversationType.formerOneToOne;
}
