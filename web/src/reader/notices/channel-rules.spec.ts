import { describe, expect, it } from 'vitest';
import type { Channel } from '../model/notices-api.js';
import {
  choiceOf,
  conditionOf,
  fieldsOf,
  givenValues,
  kindOf,
  OTHER_FORMS,
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
    expect(fieldsOf('ntfy', false).map(({ name, isRequired }) => [name, isRequired])).toEqual([
      ['address', false],
      ['secret', false],
    ]);
  });

  it('leaves out what is empty, and makes one address of server and topic.', () => {
    const server = { address: ' https://ntfy.example/push/ ', topic: ' news ' };

    expect(givenValues({ ...server, secret: '' })).toEqual({
      address: 'https://ntfy.example/push/news',
    });
    expect(givenValues({ address: '', secret: ' tk_1 ' })).toEqual({ secret: 'tk_1' });
    expect(givenValues({ address: 'https://example.org/hook/' })).toEqual({
      address: 'https://example.org/hook/',
    });
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
