import { expect, it } from '@jest/globals';
import { isPublicSource } from './is-public-source.js';

it.each([
  'https://a.example/feed.xml',
  'https://a.example/feed?keyword=lamps&author=ada&monkey=1&format=atom',
  'https://videos.example/feeds/videos.xml?channel_id=UC1&user=ada',
])('articles of %s may be published', (url) => {
  expect(isPublicSource({ url, isPrivate: false })).toBe(true);
});

it.each([
  'https://ada@a.example/feed.xml',
  'https://:secret@a.example/feed.xml',
  'https://a.example/feed?token=1',
  'https://a.example/feed?a=1&accessToken=1',
  'https://a.example/feed?api_key=1',
  'https://a.example/feed?API-KEY=1',
  'https://a.example/feed?X-Amz-Signature=1',
  'https://a.example/feed?auth',
  'no address',
])('articles of %s may not be published', (url) => {
  expect(isPublicSource({ url, isPrivate: false })).toBe(false);
});

it('articles of a private source may not be published', () => {
  expect(isPublicSource({ url: 'https://a.example/', isPrivate: true })).toBe(false);
});
