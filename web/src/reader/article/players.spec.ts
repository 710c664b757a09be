import { expect, it } from 'vitest';
import { startingAt } from './players.js';

it.each([
  ['https://www.youtube-nocookie.com/embed/abcdef?start=9&autoplay=1', 'start=75'],
  ['https://player.vimeo.com/video/1?autoplay=1', '#t=75s'],
  ['https://tube.example/videos/embed/x?warningTitle=0&autoplay=1', 'start=75'],
])('The player %s starts at a time.', (src, time) => {
  expect(startingAt(src, 75)).toContain(time);
  expect(startingAt(src, 75)).toContain('autoplay=1');
  expect(startingAt(src, 75)).not.toContain('start=9');
});
