import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { isFrameAddress, playerOf, startingAt } from './players.js';

beforeAll(() => vi.stubGlobal('location', { origin: 'https://reader.example' }));
afterAll(() => vi.unstubAllGlobals());

const SHORT_ID = 'aB3dE5gH7jK9mN2pQ4sT6u';
const LONG_ID = '0123abcd-0123-4567-89ab-0123456789ab';
const YOUTUBE = 'https://www.youtube-nocookie.com/embed';
const VIMEO = 'https://player.vimeo.com/video/123?dnt=1';
const PEERTUBE = 'https://tube.example/videos/embed';

describe('The player for the address of a video', () => {
  it.each([
    ['https://www.youtube.com/watch?v=abc_DEF-1&t=75s', `${YOUTUBE}/abc_DEF-1?start=75&autoplay=1`],
    ['http://m.youtube.com/shorts/abcdef', `${YOUTUBE}/abcdef?autoplay=1`],
    ['https://youtu.be/abcdef?start=5&t=9', `${YOUTUBE}/abcdef?start=5&autoplay=1`],
    ['https://youtu.be/abcdef?t=1m', `${YOUTUBE}/abcdef?autoplay=1`],
    [
      `${YOUTUBE}/videoseries?list=PL1234567890`,
      `${YOUTUBE}/videoseries?list=PL1234567890&autoplay=1`,
    ],
    [
      'https://youtube.com/watch?v=abc&list=PL1234567890',
      `${YOUTUBE}/videoseries?list=PL1234567890&autoplay=1`,
    ],
    ['https://vimeo.com/123/ab1/', `${VIMEO}&h=ab1&autoplay=1`],
    ['https://www.vimeo.com/123?h=x-y', `${VIMEO}&autoplay=1`],
    ['https://player.vimeo.com/video/123?h=ab1', `${VIMEO}&h=ab1&autoplay=1`],
    [`https://tube.example/w/${SHORT_ID}`, `${PEERTUBE}/${SHORT_ID}?warningTitle=0&autoplay=1`],
    [
      `https://tube.example/videos/watch/${LONG_ID}`,
      `${PEERTUBE}/${LONG_ID}?warningTitle=0&autoplay=1`,
    ],
  ])('%s is %s.', (address, src) => {
    expect(playerOf(address)?.src).toBe(src);
  });

  it.each([
    ['https://youtu.be/abcdef', 'YouTube', 'https://i.ytimg.com/vi/abcdef/mqdefault.jpg'],
    [`${YOUTUBE}/videoseries?list=PL1234567890`, 'YouTube', null],
    ['https://vimeo.com/123', 'Vimeo', null],
    [`https://tube.example/w/${SHORT_ID}`, 'tube.example', null],
  ])('%s names its site, and has a picture if its address says it.', (address, site, picture) => {
    const player = playerOf(address);

    expect(player).toMatchObject({ site, picture });
    expect(player?.host).toBe(new URL(player?.src ?? '').hostname);
  });

  it.each([
    'about a video',
    'ftp://youtu.be/abcdef',
    'https://youtube.example/watch?v=abcdef',
    'https://youtube.com/watch?v=abc&list=PL1',
    'https://youtu.be/videoseries',
    'https://vimeo.com/channels/staff',
    'https://vimeo.com/video/123',
    'https://player.vimeo.com/123',
    'https://tube.example/about',
    `http://tube.example/w/${SHORT_ID}`,
    `https://reader.example/w/${SHORT_ID}`,
  ])('%s is none.', (address) => {
    expect(playerOf(address)).toBeNull();
  });
});

it.each([
  [`${YOUTUBE}/abcdef`, true],
  [`${PEERTUBE}/${SHORT_ID}`, true],
  ['https://player.vimeo.com/video/1', true],
  ['https://youtu.be/abcdef', false],
  ['/embed/abcdef', false],
])('The address %s is that of a frame: %s.', (address, isOfFrame) => {
  expect(isFrameAddress(address)).toBe(isOfFrame);
});

it.each([
  ['https://www.youtube-nocookie.com/embed/abcdef?start=9&autoplay=1', 'start=75'],
  ['https://player.vimeo.com/video/1?autoplay=1', '#t=75s'],
  ['https://tube.example/videos/embed/x?warningTitle=0&autoplay=1', 'start=75'],
])('The player %s starts at a time.', (src, time) => {
  expect(startingAt(src, 75)).toContain(time);
  expect(startingAt(src, 75)).toContain('autoplay=1');
  expect(startingAt(src, 75)).not.toContain('start=9');
});
