import { expect, it } from '@jest/globals';
import { ADA } from '../../../test/support/private-authority.js';
import { NO_ACCESS } from '../sources/access/feed-access.service.js';
import type { ExportedFeed } from './opml.repository.js';
import { accessIn, ownAttributes } from './own-attributes.js';

const FEED: ExportedFeed = {
  folderId: null,
  folderName: null,
  url: 'https://tides.example/feed',
  title: 'Tides',
  link: null,
  ownTitle: 'Tides',
  ordering: 0,
  pinned: false,
  fullText: false,
  updateMode: 0,
  fetchEveryHours: null,
  alwaysShown: false,
  itemRule: 'automatic',
  access: null,
  given: null,
  titleKeywords: null,
  bodyKeywords: null,
  urlKeywords: null,
};

const written = (feed: ExportedFeed, access = NO_ACCESS) =>
  Object.entries(ownAttributes(feed, access)).filter(([, value]) => value !== null);

it('A feed has attributes only for what differs from a new feed.', () => {
  expect(written(FEED)).toEqual([]);
  expect(written({ ...FEED, pinned: true, ownTitle: null, ordering: 2 })).toEqual([
    ['title', 'publisher'],
    ['ordering', '2'],
    ['pinned', 'true'],
  ]);
});

it('What a feed is fetched with is read as it was written, and nothing else is.', () => {
  const access = { ...NO_ACCESS, token: 'abc', headers: { 'x-tide': 'low' } };
  const [[, text] = []] = written(FEED, access);
  expect(accessIn({ access: text ?? '' })).toMatchObject({
    token: 'abc',
    headers: { 'x-tide': 'low' },
  });
  expect(accessIn({ access: '{"cookie": "a\\nb"}' })).toBeNull();
  expect(accessIn({ access: 'no JSON' })).toBeNull();
  expect(accessIn(undefined)).toBeNull();
});

it('A certificate is read with its key as exports have it, and not with one that a passphrase opens.', () => {
  const { cert, key, encryptedKey } = ADA;
  const [[, text] = []] = written(FEED, { ...NO_ACCESS, certificate: { cert, key } });
  expect(accessIn({ access: text ?? '' })?.certificate).toBeTruthy();

  const encrypted = { certificate: cert, key: encryptedKey, passphrase: 'horse' };
  const access = JSON.stringify({ certificate: encrypted });
  expect(accessIn({ access })).toBeNull();
  expect(accessIn({ access: access.replaceAll('ENCRYPTED', '\\u0045NCRYPTED') })).toBeNull();
});
