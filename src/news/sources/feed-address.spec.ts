import { describe, expect, it } from '@jest/globals';
import { feedAddress, typedAddress } from './feed-address.js';
import { InvalidFeedAddress } from './sources.errors.js';

describe('A feed address', () => {
  it.each([
    ['https://example.org/feed', 'https://example.org/feed'],
    ['  https://example.org/feed\n', 'https://example.org/feed'],
    ['HTTPS://Example.ORG/Feed', 'https://example.org/Feed'],
    ['https://example.org', 'https://example.org/'],
    ['https://example.org:443/feed', 'https://example.org/feed'],
    ['http://example.org:80/feed', 'http://example.org/feed'],
    ['http://example.org:8080/feed', 'http://example.org:8080/feed'],
    ['https://example.org./feed', 'https://example.org/feed'],
    ['https://example.org/feed#latest', 'https://example.org/feed'],
    ['https://example.org/feed?B=2&a=1', 'https://example.org/feed?B=2&a=1'],
    ['https://bücher.example/Straße', 'https://xn--bcher-kva.example/Stra%C3%9Fe'],
    ['https://example.org/a/../feed', 'https://example.org/feed'],
    ['https://ada:secret@example.org/feed', 'https://ada:secret@example.org/feed'],
    ['http://[2001:DB8::1]/feed', 'http://[2001:db8::1]/feed'],
    ['feed:https://example.org/feed', 'https://example.org/feed'],
    ['feed:http://example.org/feed', 'http://example.org/feed'],
    ['FEED://example.org/feed', 'https://example.org/feed'],
    ['example.org', 'https://example.org/'],
    ['bücher.example?all', 'https://xn--bcher-kva.example/?all'],
    ['example.org:8080/feed', 'https://example.org:8080/feed'],
    ['localhost:8080', 'https://localhost:8080/'],
    ['127.0.1.2:18390/feed', 'https://127.0.1.2:18390/feed'],
    ['nas:8080/feed', 'https://nas:8080/feed'],
  ])('%j is normalised to %s', (text, normalised) => {
    expect(feedAddress(text).href).toBe(normalised);
    expect(feedAddress(normalised).href).toBe(normalised);
  });

  it.each([
    '',
    '   ',
    '//example.org/feed',
    '/feed',
    'feed',
    'not a feed.',
    'ada:secret@example.org/feed',
    'ada@example.org',
    'mailto:ada@example.org',
    'tel:112',
    'feed:',
    'feed://',
    'feed:ftp://example.org/',
    'http:example.org',
    'ftp://example.org/feed',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'data:text/xml,<rss/>',
    'http://',
    'http://.',
    'http://[::1/feed',
    'http://exa mple.org/',
    'http://example.org:99999/',
    `http://example.org/${'a'.repeat(10_000)}`,
  ])('%j is refused as invalid input', (text) => {
    const refusal = errorOf(() => feedAddress(text));

    expect(refusal).toBeInstanceOf(InvalidFeedAddress);
    expect(refusal).toMatchObject({ kind: 'invalid' });
  });

  it('without a scheme has another one to try, with one it has none', () => {
    expect(feedAddress('example.org:81/x').otherwise).toBe('http://example.org:81/x');
    expect(feedAddress('https://example.org:81/x').otherwise).toBeUndefined();
  });

  it('is not part of the error message, since it may contain a password', () => {
    const refusal = errorOf(() => feedAddress('ftp://ada:secret@example.org/?t=token'));

    expect(String(refusal)).not.toMatch(/ada|secret|token/);
  });
});

describe('An address that was typed or pasted', () => {
  const meant = 'https://example.org/feed?a=1&b=2';

  it.each([
    `${meant}\u200b`,
    `\ufeff\u2066${meant}\u2069 `,
    `\u00a0${meant}\u00ad\r\n`,
    `<${meant}>`,
    `"${meant}"`,
    `“${meant}”`,
    `„${meant}“,`,
    `«${meant}».`,
    `'${meant}'`,
    `\`${meant}\``,
    `(${meant})`,
    `（${meant}）。`,
    `[${meant}]`,
    `**${meant}**`,
    `${meant}.`,
    `${meant},`,
    `${meant});`,
    `${meant}…`,
    `[The feed](${meant})`,
    `[The feed](<${meant}> "of all")`,
    `[${meant}](${meant})`,
    `Feed: ${meant}`,
    `Subscribe to ${meant}, it is good.`,
    `<a class=x href="${meant}">The feed</a>`,
    `<link rel="alternate" type="application/rss+xml" href='https://example.org/feed?a=1&amp;b=2' />`,
    'https://example.org/feed?a=1&amp;b=2',
    `http://${meant}`,
    `feed:${meant}`,
    `feed://${meant}`,
    `feed: ${meant}`,
    `feeds://example.org/feed?a=1&b=2`,
    `itpc://example.org/feed?a=1&b=2`,
    `view-source:${meant}`,
    'https//example.org/feed?a=1&b=2',
    'https:/example.org/feed?a=1&b=2',
    'https:// example.org/feed?a=1&b=2',
    'https：／／example.org/feed?a=1&b=2',
    'https:\\\\example.org/feed?a=1&b=2',
    'example.org/feed?a=1&b=2.',
    '"example.org/feed?a=1&b=2"',
    '<example.org/feed?a=1&b=2>,',
    ' example.org/feed?a=1&b=2 ',
  ])('is read as it was meant: %j', (text) => {
    expect(typedAddress(text).href).toBe(meant);
  });

  it.each([
    'https://example.org/wiki/Feed_(web)',
    'https://example.org/feed?tags[]=a',
    'https://example.org/feed/?',
    'https://example.org/~ada/*/feed_',
    'https://ada:secret@example.org/feed',
  ])('keeps what belongs to it: %s', (address) => {
    expect(typedAddress(`(${address}).`).href).toBe(address);
    expect(typedAddress(address).href).toBe(address);
  });

  it.each([
    '...',
    'not a feed.',
    'ada@example.org,',
    '<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom">',
    '<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom">',
    '<a href="javascript:alert(1)">x</a>',
    `${'.'.repeat(9000)}x${'.'.repeat(7000)}`,
    'http://exa mple.org/',
  ])('is refused without an address: %.60j', (text) => {
    expect(errorOf(() => typedAddress(text))).toBeInstanceOf(InvalidFeedAddress);
  });
});

describe('The key of an address', () => {
  it('is the same for all spellings', () => {
    expect(feedAddress('https://EXAMPLE.org:443/feed#x').key).toEqual(
      feedAddress('https://example.org/feed').key,
    );
    expect(feedAddress('https://example.org/feed').key).toHaveLength(32);
  });

  it.each([
    'http://example.org/feed',
    'https://example.org/Feed',
    'https://example.org/feed?a',
    'https://ada:secret@example.org/feed',
    'https://ada:other@example.org/feed',
  ])('differs for %s, so that feeds with passwords are never shared', (other) => {
    const keys = ['https://example.org/feed', 'https://ada:third@example.org/feed', other].map(
      (url) => feedAddress(url).key.toString('hex'),
    );

    expect(new Set(keys).size).toBe(3);
  });
});

describe('The host of an address', () => {
  it('is the host name without port, path and spelling', () => {
    expect(feedAddress('https://Example.org./feed').host).toBe('example.org');
    expect(feedAddress('http://ada:secret@example.org:8080/other').host).toBe('example.org');
    expect(feedAddress('http://[2001:DB8::1]:81/').host).toBe('[2001:db8::1]');
  });
});

function errorOf(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return error;
  }
  return null;
}

it.each(['not a url', 'cats', 'ftp://example.org/feed', 'mailto:ada@example.org'])(
  'What is said of %j is true of every address that is accepted.',
  (text) => {
    expect(() => feedAddress(text)).toThrow(
      'This is no address: enter that of a feed or of a website, such as example.org, with or without https://.',
    );
    for (const accepted of ['example.org', 'feed://example.org/feed', 'https://example.org/page']) {
      expect(feedAddress(accepted).href).toMatch(/^https:\/\/example\.org/);
    }
  },
);
