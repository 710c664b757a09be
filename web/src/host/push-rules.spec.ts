import { describe, expect, it } from 'vitest';
import { keyText, pushOffer, pushStep, type PushAbilities } from './push-rules.js';

const ABLE: PushAbilities = {
  isSecure: true,
  hasPush: true,
  isOnHomeScreen: undefined,
  permission: 'default',
};

it.each([
  ['asks for permission first', {}, 'ask'],
  ['is allowed to', { permission: 'granted' }, 'allowed'],
  ['was forbidden to', { permission: 'denied' }, 'denied'],
  ['has no encrypted address', { isSecure: false }, 'insecure'],
  ['is too old', { hasPush: false }, 'none'],
  ['is Safari on an iPhone', { hasPush: false, isOnHomeScreen: false }, 'home-screen'],
  ['is an old iPhone', { hasPush: false, isOnHomeScreen: true }, 'none'],
  ['is the app on an iPhone', { isOnHomeScreen: true }, 'ask'],
] as const)('A browser that %s is offered the fitting thing.', (_, more, offer) => {
  expect(pushOffer({ ...ABLE, ...more })).toBe(offer);
});

describe('At its start, a page', () => {
  const note = { channelId: 7, endpoint: 'https://push.example/1' };
  const known = { endpoint: note.endpoint, key: 'AQID' };
  const service = { key: 'AQID', knowsChannel: true };

  it('leaves a subscription alone that is in order.', () => {
    expect(pushStep(note, known, service)).toBe('nothing');
  });

  it('subscribes anew when the service has another key, or the browser lost its subscription.', () => {
    expect(pushStep(note, { ...known, key: 'BAUG' }, service)).toBe('renew');
    expect(pushStep(note, null, service)).toBe('renew');
  });

  it('sends a subscription that the browser has renewed.', () => {
    expect(pushStep(note, { ...known, endpoint: 'https://push.example/2' }, service)).toBe('renew');
  });

  it('drops a subscription whose channel was removed elsewhere, and one of another user.', () => {
    expect(pushStep(note, known, { ...service, knowsChannel: false })).toBe('drop');
    expect(pushStep(null, known, service)).toBe('drop');
  });

  it('does nothing without a subscription, and while the service cannot push.', () => {
    expect(pushStep(null, null, service)).toBe('nothing');
    expect(pushStep(note, known, { key: null, knowsChannel: true })).toBe('nothing');
  });
});

it('Keys are compared as base64url without padding.', () => {
  expect(keyText(new Uint8Array([251, 255, 254, 1]).buffer)).toBe('-__-AQ');
  expect(keyText(null)).toBe('');
});
