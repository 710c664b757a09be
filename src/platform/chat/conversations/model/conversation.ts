/** Kinds of conversations, with the numbers of the protocol. */
export const ConversationType = {
  oneToOne: 1,
  group: 2,
  public: 3,
  /** Read-only: one-to-one with an account that was deleted. */
  formerOneToOne: 5,
} as const;

export type ConversationType = (typeof ConversationType)[keyof typeof ConversationType];

/** Roles of participants, with the numbers of the protocol. */
export const ParticipantType = {
  owner: 1,
  moderator: 2,
  user: 3,
  /** Joined a public conversation by its link. */
  selfJoined: 5,
} as const;

export type ParticipantType = (typeof ParticipantType)[keyof typeof ParticipantType];

export function isModerator({ type }: { readonly type: ParticipantType }): boolean {
  return type === ParticipantType.owner || type === ParticipantType.moderator;
}

/** Whether it is or was one-to-one. */
export function isBetweenTwo({ type }: { readonly type: ConversationType }): boolean {
  return type === ConversationType.oneToOne || type === ConversationType.formerOneToOne;
}
