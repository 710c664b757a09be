import { describe, expect, it } from 'vitest';
import type { ChatMessage } from '../chat-api.js';
import {
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

const userId = 'ann';

function message(id: number, change: Partial<ChatMessage> = {}): ChatMessage {
  return {
    id,
    actorType: 'users',
    actorId: 'bob',
    actorDisplayName: 'Bob',
    timestamp: id,
    message: `text ${id}`,
    messageParameters: [],
    messageType: 'comment',
    systemMessage: '',
    referenceId: '',
    reactions: [],
    ...change,
  };
}

const known = (...ids: readonly number[]): Timeline => ({
  ...NOTHING_KNOWN,
  messages: ids.map((id) => message(id)),
  firstKnownId: ids[0] ?? 0,
  lastKnownId: ids.at(-1) ?? 0,
});
const idsOf = ({ messages }: Pick<Timeline, 'messages'>) => messages.map(({ id }) => id);
const waiting = (referenceId: string): OutgoingMessage => ({
  referenceId,
  text: 'hello',
  replyTo: undefined,
  failed: false,
});
const away = { attending: false, userId };

describe('A page of the history', () => {
  const paged = { pageSize: 2, userId };

  it('stands above what is known, and says whether there is more', () => {
    const full = withOlder(known(7, 8), [message(5), message(6)], paged);
    const last = withOlder(full, [message(4)], paged);

    expect([idsOf(full), full.hasOlder, full.firstKnownId]).toEqual([[5, 6, 7, 8], true, 5]);
    expect([idsOf(last), last.hasOlder, last.firstKnownId]).toEqual([[4, 5, 6, 7, 8], false, 4]);
    expect(last.lastKnownId).toBe(8);
  });

  it('counts hidden messages for what to ask next, and shows none of them', () => {
    const hidden = [3, 4].map((id) => message(id, { systemMessage: 'reaction' }));
    const page = withOlder(NOTHING_KNOWN, hidden, paged);

    expect([idsOf(page), page.firstKnownId, page.lastKnownId]).toEqual([[], 3, 4]);
    expect(withOlder(page, [], paged)).toMatchObject({ firstKnownId: 3, lastKnownId: 4 });
  });

  it('does not repeat a message that was confirmed meanwhile, whose newer state stays', () => {
    const edited = { ...known(5), messages: [message(5, { message: 'edited' })] };
    const page = withOlder(edited, [message(4), message(5)], paged);

    expect(page.messages.map((one) => one.message)).toEqual(['text 4', 'edited']);
  });

  it('takes the place of what was sent from here', () => {
    const sent = { ...NOTHING_KNOWN, outgoing: [waiting('a'), waiting('b')] };
    const page = withOlder(
      sent,
      [message(1, { actorId: userId, referenceId: 'a' }), message(2, { referenceId: 'b' })],
      paged,
    );

    expect(page.outgoing.map(({ referenceId }) => referenceId)).toEqual(['b']);
  });
});

describe('What a poll brings', () => {
  it('stands below what is known', () => {
    const more = { messages: [message(6), message(7)], commonReadId: 6 };
    const next = withNewer(known(4, 5), more, away);

    expect(idsOf(next)).toEqual([4, 5, 6, 7]);
    expect(next).toMatchObject({ lastKnownId: 7, commonReadId: 6, latestHeard: message(7) });
  });

  it('keeps the common mark if it says nothing of it', () => {
    const before = { ...known(1), commonReadId: 1 };

    expect(withNewer(before, { messages: [], commonReadId: undefined }, away)).toEqual(before);
  });

  it('changes a message by the hidden one that tells of it', () => {
    const parent = message(4, { message: 'edited' });
    const told = message(6, { systemMessage: 'message_edited', parent });
    const next = withNewer(known(4, 5), { messages: [told], commonReadId: undefined }, away);

    expect(next.messages.map((one) => one.message)).toEqual(['edited', 'text 5']);
    expect(next).toMatchObject({ lastKnownId: 6, latestHeard: undefined, dividerAfterId: 0 });
  });

  it('ignores a hidden message that tells of none', () => {
    const told = message(6, { systemMessage: 'reaction' });

    expect(idsOf(withNewer(known(4), { messages: [told], commonReadId: 6 }, away))).toEqual([4]);
  });

  it.each([
    ['above the first new message of another person', {}, {}, 5],
    ['nowhere while the newest messages are in view', {}, { attending: true }, 0],
    ['where it is while older messages are unread', { dividerAfterId: 3, readUpTo: 3 }, {}, 3],
    ['further down after all were read', { dividerAfterId: 3, readUpTo: 5 }, {}, 5],
  ])('puts the divider %s.', (_case, before, reading, dividerAfterId) => {
    const more = { messages: [message(6), message(7)], commonReadId: undefined };
    const next = withNewer({ ...known(3, 4, 5), ...before }, more, { ...away, ...reading });

    expect(next.dividerAfterId).toBe(dividerAfterId);
  });

  it('has no divider above messages of the user, and announces none of them', () => {
    const own = message(6, { actorId: userId });
    const next = withNewer(known(5), { messages: [own], commonReadId: undefined }, away);

    expect(next).toMatchObject({ dividerAfterId: 0, latestHeard: undefined });
    expect(idsOf(next)).toEqual([5, 6]);
  });

  it('does not announce what is known', () => {
    const next = withNewer(known(5, 6), { messages: [message(6)], commonReadId: 1 }, away);

    expect(next).toMatchObject({ latestHeard: undefined, dividerAfterId: 0 });
    expect(idsOf(next)).toEqual([5, 6]);
  });

  it('tells a bot of the same name from the user', () => {
    const bot = message(6, { actorType: 'bots', actorId: userId });

    expect(withNewer(known(5), { messages: [bot], commonReadId: 1 }, away).latestHeard).toBe(bot);
  });
});

describe('A message', () => {
  it('stands in the order of ids, and once', () => {
    const first = withMessage(known(2, 4), message(3), userId);
    const again = withMessage(first, message(3, { message: 'again' }), userId);

    expect(idsOf(again)).toEqual([2, 3, 4]);
    expect(again.messages[1]?.message).toBe('again');
    expect(idsOf(withMessage(NOTHING_KNOWN, message(1), userId))).toEqual([1]);
  });

  it('that was sent from here is no longer on its way', () => {
    const sent = { ...NOTHING_KNOWN, outgoing: [waiting('a')] };
    const own = message(1, { actorId: userId, referenceId: 'a' });

    expect(withMessage(sent, own, userId).outgoing).toEqual([]);
  });

  it('changes in quotes of it, too, and keeps what it answers', () => {
    const quoted = message(1);
    const answer = message(2, { parent: quoted });
    const changed = withChanged([quoted, answer], message(1, { message: 'edited' }));
    const again = withChanged(changed, message(2, { message: 'edited, too' }));

    expect(again.map((one) => [one.message, one.parent?.message])).toEqual([
      ['edited', undefined],
      ['edited, too', 'edited'],
    ]);
  });

  it('gets a reaction of the user, and loses it at the second time', () => {
    const before = message(1, { reactions: { '👍': 1 }, reactionsSelf: ['🎉'] });
    const { given, changed } = withReaction(before, '👍');
    const back = withReaction(changed, '👍');

    expect([given, changed.reactions, changed.reactionsSelf]).toEqual([
      true,
      { '👍': 2 },
      ['🎉', '👍'],
    ]);
    expect([back.given, back.changed.reactions, back.changed.reactionsSelf]).toEqual([
      false,
      { '👍': 1 },
      ['🎉'],
    ]);
  });

  it('has no reaction left without a giver', () => {
    const { changed } = withReaction(message(1), '👍');

    expect(changed).toMatchObject({ reactions: { '👍': 1 }, reactionsSelf: ['👍'] });
    expect(withReaction(changed, '👍').changed).toMatchObject({ reactions: {}, reactionsSelf: [] });
  });
});

it('The newest id of an empty timeline is 0.', () => {
  expect(newestIdOf(known())).toBe(0);
  expect(newestIdOf(known(3, 9))).toBe(9);
});
