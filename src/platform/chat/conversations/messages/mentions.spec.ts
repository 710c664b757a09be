import { describe, expect, it } from '@jest/globals';
import { processorMs } from '../../../../../test/support/processor-time.js';
import { withMentions } from './mentions.service.js';

const PEOPLE = [
  { userId: 'ada', displayName: 'Ada' },
  { userId: 'ada.', displayName: 'Ada the other' },
];

const said = (text: string) => withMentions(text, PEOPLE, undefined);

describe('a mention', () => {
  it.each([
    ['@ada-', '{mention-user1}-', ['ada']],
    ['@ada..', '{mention-user1}.', ['ada.']],
    [`@ada${'-'.repeat(100)}`, `{mention-user1}${'-'.repeat(100)}`, ['ada']],
    ['@nobody...', '@nobody...', []],
    ['@...', '@...', []],
  ])('is found in %s', (text, message, userIds) => {
    expect(said(text)).toMatchObject({ message, userIds });
  });

  it.each(['@', '.', '-'])('is soon known not to be in thousands of %s', async (sign) => {
    const text = `@${sign.repeat(200_000)}`;

    const cost = await processorMs(() => expect(said(text).message).toBe(text));

    expect(cost).toBeLessThan(2000);
  });
});
