import { describe, expect, it } from '@jest/globals';
import {
  addressOfPlace,
  MessageBudget,
  readFrameMessage,
  readHostMessage,
  sealed,
  type FrameMessage,
} from '../../../web/src/app-frame/frame-messages.js';

/** What a page of an app in a frame may say to the page of ours around it. */

const read = (message: object) => readFrameMessage({ gatefold: 1, ...message });

describe('a message of a page in a frame', () => {
  it.each<FrameMessage>([
    { type: 'ready' },
    { type: 'lost' },
    { type: 'away' },
    { type: 'renew' },
    { type: 'title', text: 'Tides' },
    { type: 'place', path: 'chart/tomorrow?x=1#top' },
    { type: 'place', path: 'chart' },
    { type: 'place', path: 'chart/..hidden/%20' },
    { type: 'toast', text: 'Saved', kind: 'info' },
    { type: 'open', place: 'reader', id: null },
    { type: 'open', place: 'item', id: 7 },
  ])('is read as it was sent: %j', (message) => {
    expect(readFrameMessage(structuredClone(sealed(message)))).toEqual(message);
  });

  it.each([
    ['nothing', undefined],
    ['a text', 'ready'],
    ['null', null],
    ['another version', { gatefold: 2, type: 'ready' }],
    ['no version', { type: 'ready' }],
  ])('is ignored if it is %s', (_what, data) => {
    expect(readFrameMessage(data)).toBeNull();
  });

  it.each([
    { type: 'theme', theme: 'dark' },
    { type: 'constructor' },
    { type: 'title', text: 7 },
    { type: 'toast', text: 'Saved', kind: 'html' },
    { type: 'open', place: 'toString' },
    { type: 'open', place: '/settings/admin' },
    { type: 'open', place: 'item' },
    { type: 'open', place: 'item', id: '7/../8' },
    { type: 'open', place: 'item', id: 1.5 },
    { type: 'open', place: 'reader', id: 7 },
    { type: 'place', path: '' },
    { type: 'place', path: '/settings' },
    { type: 'place', path: '//evil.example' },
    { type: 'place', path: 'chart//evil.example' },
    { type: 'place', path: '../other/page' },
    { type: 'place', path: 'chart/../../other' },
    { type: 'place', path: 'chart/%2e%2E/%2e./other' },
    { type: 'place', path: 'chart\\..\\..\\other' },
    { type: 'place', path: 'javascript:alert(1)//' },
    { type: 'place', path: 'chart/ä' },
    { type: 'place', path: `chart/${'x'.repeat(2000)}` },
  ])('is ignored if it says more than the list allows: %j', (message) => {
    expect(read(message)).toBeNull();
  });

  it('is cut to what fits', () => {
    const text = 'x'.repeat(1000);

    expect(read({ type: 'title', text })).toEqual({ type: 'title', text: text.slice(0, 200) });
    expect(read({ type: 'toast', text, kind: 'error' })).toMatchObject({
      text: text.slice(0, 500),
    });
  });

  it('opens pages of ours from a list', () => {
    expect(addressOfPlace({ type: 'open', place: 'feed', id: 7 })).toBe('/apps/news/feeds/7/');
    expect(addressOfPlace({ type: 'open', place: 'files', id: null })).toBe('/apps/files/');
  });

  it('is one of so many at once, and then per second', () => {
    let now = 0;
    const budget = new MessageBudget(3, 2, () => now);
    const taken = () => Array.from({ length: 5 }, () => budget.take()).filter(Boolean).length;

    expect(taken()).toBe(3);
    expect(taken()).toBe(0);
    now += 1000;
    expect(taken()).toBe(2);
    now += 60_000;
    expect(taken()).toBe(3);
  });
});

describe('a message to a page in a frame', () => {
  it('is of the list, too', () => {
    expect(readHostMessage(sealed({ type: 'theme', theme: 'dark' }))).toEqual({
      type: 'theme',
      theme: 'dark',
    });
    expect(readHostMessage({ gatefold: 1, type: 'ready' })).toBeNull();
    expect(readHostMessage({ type: 'theme', theme: 'dark' })).toBeNull();
  });
});
