import { describe, expect, it } from 'vitest';
import type { Channel } from '../model/notices-api.js';
import {
  choiceOf,
  conditionOf,
  fieldsOf,
  givenAddress,
  kindOf,
  OTHER_FORMS,
  topicFrom,
} from './channel-rules.js';

const CHANNEL: Channel = {
  id: 1,
  kind: 'webhook',
  form: 'ntfy',
  name: 'Phone',
  enabled: true,
  target: 'ntfy.sh',
  privateFeeds: false,
  failingSince: null,
  lastError: null,
  offReason: null,
};

describe('The form of a channel', () => {
  it('asks for what the receiver needs.', () => {
    expect(fieldsOf('ntfy', true).map(({ name, isRequired }) => [name, isRequired])).toEqual([
      ['address', true],
      ['topic', true],
      ['secret', false],
    ]);
    expect([...fieldsOf('mail', true), ...fieldsOf('push', true)]).toEqual([]);
    const needsNothing = OTHER_FORMS.filter(
      (form) => !fieldsOf(form, true).some(({ isRequired }) => isRequired),
    );
    expect(needsNothing).toEqual([]);
  });

  it('requires nothing of a channel that exists, since secrets are not shown again.', () => {
    const isRequired = (values: object) =>
      fieldsOf('ntfy', false, values).map((field) => field.isRequired);

    expect(isRequired({})).toEqual([false, false, false]);
    expect(isRequired({ topic: 'news' })).toEqual([true, false, false]);
    expect(isRequired({ address: 'https://ntfy.sh' })).toEqual([false, true, false]);
  });

  it('leaves out what is empty, and makes one address of server and topic.', () => {
    const server = { address: ' https://ntfy.example/push/ ', topic: 'my news' };

    expect(givenAddress({ ...server, secret: '' })).toEqual({
      address: 'https://ntfy.example/push/my%20news',
    });
    expect(givenAddress({ address: '', topic: '', secret: ' tk_1 ' })).toEqual({ secret: 'tk_1' });
    expect(givenAddress({ address: 'https://example.org/hook/' })).toEqual({
      address: 'https://example.org/hook/',
    });
    expect(givenAddress({})).toEqual({});
  });
});

it('A webhook is chosen by its form, another channel by its kind.', () => {
  expect(choiceOf(CHANNEL)).toBe('ntfy');
  expect(choiceOf({ kind: 'webhook', form: null })).toBe('standard');
  expect(choiceOf({ kind: 'push', form: null })).toBe('push');
  expect([kindOf('mail'), kindOf('ntfy')]).toEqual([
    { kind: 'mail' },
    { kind: 'webhook', form: 'ntfy' },
  ]);
});

it.each([
  ['good', {}],
  ['failing', { failingSince: 100 }],
  ['paused', { enabled: false, failingSince: 100 }],
  ['off', { enabled: false, offReason: 'It failed for five days.' }],
] as const)('A channel may be %s.', (condition, more) => {
  expect(conditionOf({ ...CHANNEL, ...more })).toBe(condition);
});

it('A topic is hard to guess and easy to type.', () => {
  const topic = topicFrom(Uint8Array.from({ length: 32 }, (_, n) => n * 7));

  expect(topic).toMatch(/^gatefold-[a-z2-9]{14}$/);
  expect(topicFrom(Uint8Array.from({ length: 32 }, (_, n) => n * 5))).not.toBe(topic);
});
