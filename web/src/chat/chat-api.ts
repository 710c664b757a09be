import { request, requestOcs, RequestFailed, type RequestOptions } from '../host/http.js';

/*
 * The chat API (src/platform/chat/README.md), with those fields of the answers that the pages use.
 */

const ROOT = '/apps/spreed/api';

export const RoomType = { oneToOne: 1, group: 2, public: 3, formerOneToOne: 5 } as const;
export const ParticipantRole = { owner: 1, moderator: 2, user: 3, selfJoined: 5 } as const;

/** The value of a `{placeholder}` in a text. */
export interface RichObject {
  readonly type: string;
  readonly id: string;
  readonly name: string;
}

/** A message without the one it replies to. */
export interface PlainMessage {
  readonly id: number;
  readonly actorType: 'users' | 'bots' | 'deleted_users' | (string & {});
  readonly actorId: string;
  readonly actorDisplayName: string;
  /** Unix seconds. */
  readonly timestamp: number;
  /** Text with `{placeholder}` tokens. */
  readonly message: string;
  /** An empty array if there are none. */
  readonly messageParameters: Readonly<Record<string, RichObject>> | readonly never[];
  readonly messageType: 'comment' | 'system' | 'comment_deleted' | (string & {});
  readonly systemMessage: string;
  readonly referenceId: string;
  readonly lastEditTimestamp?: number;
  /** Number of reactions by emoji. */
  readonly reactions: Readonly<Record<string, number>> | readonly never[];
  readonly reactionsSelf?: readonly string[];
}

export interface ChatMessage extends PlainMessage {
  readonly parent?: PlainMessage;
}

export interface Room {
  readonly token: string;
  readonly type: number;
  /** In one-to-one conversations, the other user's id. */
  readonly name: string;
  readonly displayName: string;
  readonly description: string;
  readonly participantType: number;
  readonly readOnly: number;
  readonly canDeleteConversation: boolean;
  readonly canLeaveConversation: boolean;
  /** Unix seconds. */
  readonly lastActivity: number;
  readonly unreadMessages: number;
  readonly unreadMention: boolean;
  readonly lastReadMessage: number;
  readonly lastCommonReadMessage: number;
  /** An empty array if there is no message. */
  readonly lastMessage: PlainMessage | readonly never[];
}

export interface Participant {
  readonly attendeeId: number;
  readonly actorId: string;
  readonly displayName: string;
  readonly participantType: number;
}

export interface BotChoice {
  readonly id: number;
  readonly name: string;
  readonly description: string;
  /** 1: enabled in the conversation. */
  readonly state: number;
}

export interface Mentionable {
  readonly id: string;
  readonly label: string;
  /** `calls`: all participants. */
  readonly source: string;
}

/** A person who can be invited. */
export interface Person {
  readonly id: string;
  readonly label: string;
}

export interface MessagePage {
  readonly messages: readonly ChatMessage[];
  /** Latest message read by all participants; undefined if unknown. */
  readonly commonReadId: number | undefined;
}

/** Shorter than the timeouts of common proxies. */
export const WAIT_SECONDS = 30;

/** @param below the path below it, with the slash in front */
const roomAt = (token: string, below = '') =>
  `${ROOT}/v4/room/${encodeURIComponent(token)}${below}`;
const chatAt = (token: string, below = '') =>
  `${ROOT}/v1/chat/${encodeURIComponent(token)}${below}`;
const botsAt = (token: string) => `${ROOT}/v1/bot/${encodeURIComponent(token)}`;
const reactionsAt = (token: string, id: number) =>
  `${ROOT}/v1/reaction/${encodeURIComponent(token)}/${id}`;

export const listRooms = (): Promise<Room[]> => requestOcs(`${ROOT}/v4/room`);

export const showRoom = (token: string): Promise<Room> => requestOcs(roomAt(token));

/** Enters a conversation; entering a public one adds the user as a participant. */
export const enterRoom = (token: string, signal: AbortSignal): Promise<Room> =>
  requestOcs(roomAt(token, '/participants/active'), { method: 'POST', signal });

export function openWith(userId: string): Promise<Room> {
  const json = { roomType: RoomType.oneToOne, invite: userId };
  return requestOcs(`${ROOT}/v4/room`, { method: 'POST', json });
}

export function createGroup(roomName: string, isPublic: boolean): Promise<Room> {
  const json = { roomType: isPublic ? RoomType.public : RoomType.group, roomName };
  return requestOcs(`${ROOT}/v4/room`, { method: 'POST', json });
}

export const renameRoom = (token: string, roomName: string): Promise<void> =>
  requestOcs(roomAt(token), { method: 'PUT', json: { roomName } });

export const describeRoom = (token: string, description: string): Promise<void> =>
  requestOcs(roomAt(token, '/description'), { method: 'PUT', json: { description } });

export const deleteRoom = (token: string): Promise<void> =>
  requestOcs(roomAt(token), { method: 'DELETE' });

export const leaveRoom = (token: string): Promise<void> =>
  requestOcs(roomAt(token, '/participants/self'), { method: 'DELETE' });

export const listParticipants = (token: string): Promise<Participant[]> =>
  requestOcs(roomAt(token, '/participants'));

export const invite = (token: string, userId: string): Promise<void> =>
  requestOcs(roomAt(token, '/participants'), {
    method: 'POST',
    json: { newParticipant: userId, source: 'users' },
  });

export const removeParticipant = (token: string, attendeeId: number): Promise<void> =>
  requestOcs(roomAt(token, '/attendees'), { method: 'DELETE', json: { attendeeId } });

export const setModerator = (
  token: string,
  attendeeId: number,
  isModerator: boolean,
): Promise<void> =>
  requestOcs(roomAt(token, '/moderators'), {
    method: isModerator ? 'POST' : 'DELETE',
    json: { attendeeId },
  });

export const listBots = (token: string): Promise<BotChoice[]> => requestOcs(botsAt(token));

export const setBot = (token: string, botId: number, takesPart: boolean): Promise<void> =>
  requestOcs(`${botsAt(token)}/${botId}`, { method: takesPart ? 'POST' : 'DELETE' });

/** Users of this installation, best matches first. */
export const searchPeople = (search: string, signal: AbortSignal): Promise<Person[]> =>
  requestOcs('/core/autocomplete/get', { query: { search, limit: 10 }, signal });

export const searchMentions = (
  token: string,
  search: string,
  signal: AbortSignal,
): Promise<Mentionable[]> =>
  requestOcs(chatAt(token, '/mentions'), { query: { search, limit: 8 }, signal });

/** @param before id of the oldest known message; 0: none @returns oldest first */
export async function readHistory(
  token: string,
  before: number,
  limit: number,
  signal: AbortSignal,
): Promise<MessagePage> {
  const { messages, commonReadId } = await readChat(token, {
    query: { lookIntoFuture: 0, lastKnownMessageId: before, limit },
    signal,
  });
  return { messages: messages.toReversed(), commonReadId };
}

/** Long-polls for newer messages or a changed read marker. @returns oldest first */
export const waitForMore = (
  token: string,
  lastKnownMessageId: number,
  lastCommonReadId: number,
  signal: AbortSignal,
): Promise<MessagePage> =>
  readChat(token, {
    query: {
      lookIntoFuture: 1,
      timeout: WAIT_SECONDS,
      // Messages count as read only when they are visible.
      setReadMarker: 0,
      limit: 200,
      lastKnownMessageId,
      lastCommonReadId,
    },
    signal,
  });

const NOTHING_NEW = 304;

async function readChat(token: string, options: RequestOptions): Promise<MessagePage> {
  try {
    const response = await request(`/ocs/v2.php${chatAt(token)}`, {
      ...options,
      query: { format: 'json', ...options.query },
      headers: { 'OCS-APIRequest': 'true' },
    });
    const commonRead = response.headers.get('X-Chat-Last-Common-Read');
    const answer = (await response.json()) as { ocs: { data: ChatMessage[] } };
    return {
      messages: answer.ocs.data,
      commonReadId: commonRead === null ? undefined : Number(commonRead),
    };
  } catch (error) {
    if (error instanceof RequestFailed && error.status === NOTHING_NEW) {
      return { messages: [], commonReadId: undefined };
    }
    throw error;
  }
}

export const sendMessage = (
  token: string,
  json: { readonly message: string; readonly referenceId: string; readonly replyTo: number },
): Promise<ChatMessage> => requestOcs(chatAt(token), { method: 'POST', json });

/** @returns the system message about it, with the edited message as its parent */
export const editMessage = (token: string, id: number, message: string): Promise<ChatMessage> =>
  requestOcs(chatAt(token, `/${id}`), { method: 'PUT', json: { message } });

/** @returns the system message about it, with the deleted message as its parent */
export const deleteMessage = (token: string, id: number): Promise<ChatMessage> =>
  requestOcs(chatAt(token, `/${id}`), { method: 'DELETE' });

export const markRead = (token: string, lastReadMessage: number): Promise<Room> =>
  requestOcs(chatAt(token, '/read'), { method: 'POST', json: { lastReadMessage } });

export const setReaction = (
  token: string,
  id: number,
  reaction: string,
  given: boolean,
): Promise<void> =>
  requestOcs(reactionsAt(token, id), { method: given ? 'POST' : 'DELETE', json: { reaction } });

/** Reactions with their authors. */
export const listReactions = (
  token: string,
  id: number,
): Promise<Readonly<Record<string, readonly { readonly actorDisplayName: string }[]>>> =>
  requestOcs(reactionsAt(token, id));

export function isModerator({ participantType }: Pick<Participant, 'participantType'>): boolean {
  return participantType === ParticipantRole.owner || participantType === ParticipantRole.moderator;
}

export function isBetweenTwo({ type }: Pick<Room, 'type'>): boolean {
  return type === RoomType.oneToOne || type === RoomType.formerOneToOne;
}
