import { describe, expect, it } from 'vitest';
import type { ChatMessage } from '../chat-api.js';
import { rowsOf } from './timeline-rows.js';

const NOON_SECONDS = new Date(2026, 10, 28, 12).getTime() / 1000;
const MINUTE_SECONDS = 60;

function message(id: number, minutes: number, change: Partial<ChatMessage> = {}): ChatMessage {
  return {
    id,
    actorType: 'users',
    actorId: 'bob',
    actorDisplayName: 'Bob',
    timestamp: NOON_SECONDS + minutes * MINUTE_SECONDS,
    message: '',
    messageParameters: [],
    messageType: 'comment',
    systemMessage: '',
    referenceId: '',
    reactions: [],
    ...change,
  };
}

const grouped = (...messages: readonly ChatMessage[]) =>
  rowsOf(messages, 0, 'ann').map((row) => row.grouped);

describe('Rows of messages', () => {
  it('name a day once', () => {
    const rows = rowsOf([message(1, 0), message(2, 1), message(3, 24 * 60)], 0, 'ann');

    expect(rows.map(({ day }) => day?.getDate())).toEqual([28, undefined, 29]);
  });

  it('of one author stand together for less than five minutes', () => {
    expect(grouped(message(1, 0), message(2, 4.9), message(3, 9.9))).toEqual([false, true, false]);
  });

  it.each([
    ['another person', { actorId: 'eve' }],
    ['a bot', { actorType: 'bots' }],
    ['the service', { messageType: 'system' }],
  ])('of %s stand apart.', (_who, change) => {
    const other = message(2, 1, change);

    expect(grouped(message(1, 0), other, message(3, 2))).toEqual([false, false, false]);
  });

  it('of another day stand apart', () => {
    const beforeMidnight = 12 * 60 - 1;

    expect(grouped(message(1, beforeMidnight), message(2, beforeMidnight + 2))).toEqual([
      false,
      false,
    ]);
  });

  it('have one divider, above the first new message of another person', () => {
    const own = message(3, 2, { actorId: 'ann' });
    const rows = rowsOf([message(2, 1), own, message(4, 3), message(5, 4)], 2, 'ann');

    expect(rows.map(({ divided }) => divided)).toEqual([false, false, true, false]);
    expect(rows.map((row) => row.grouped)).toEqual([false, false, false, true]);
  });

  it('have no divider without an id, or if only the user wrote since', () => {
    const own = message(3, 2, { actorId: 'ann' });

    expect(rowsOf([message(2, 1)], 0, 'ann').some(({ divided }) => divided)).toBe(false);
    expect(rowsOf([message(2, 1), own], 2, 'ann').some(({ divided }) => divided)).toBe(false);
  });
});
