import { describe, expect, it } from '@jest/globals';
import { documentBase } from './download-feed.js';

const URL_OF_ANSWER = 'http://127.0.0.1:8080/feeds/news.xml';

describe('the base address of a document', () => {
  it.each([
    [undefined, URL_OF_ANSWER],
    ['', URL_OF_ANSWER],
    ['http://example.org/base/', 'http://example.org/base/'],
    ['https://example.org/a/b.xml', 'https://example.org/a/b.xml'],
    [' http://example.org/base/ ', 'http://example.org/base/'],
    ['/other/', 'http://127.0.0.1:8080/other/'],
    ['news.en.xml', 'http://127.0.0.1:8080/feeds/news.en.xml'],
    ['http://user:secret@example.org/', 'http://example.org/'],
    ['http://127.0.0.1:8080/base/', 'http://127.0.0.1:8080/base/'],
    ['http://127.0.0.1:9090/base/', URL_OF_ANSWER],
    ['http://10.0.0.7/feed.xml', URL_OF_ANSWER],
    ['http://[fe80::1]/feed.xml', URL_OF_ANSWER],
    ['http://web7/feed.xml', URL_OF_ANSWER],
    ['http://web7.internal/feed.xml', URL_OF_ANSWER],
    ['http://web7.local/feed.xml', URL_OF_ANSWER],
    ['javascript:alert(1)', URL_OF_ANSWER],
    ['file:///srv/feed.xml', URL_OF_ANSWER],
    ['http://[', URL_OF_ANSWER],
  ])('Content-Location %s → %s', (contentLocation, base) => {
    expect(documentBase(contentLocation, URL_OF_ANSWER)).toBe(base);
  });
});
