import { describe, expect, it } from '@jest/globals';
import { labelNameOf, streamNameOf } from './stream-names.js';

describe('the name of a stream', () => {
  it.each([
    ['user/-/state/com.google/read', { of: 'state', state: 'read' }],
    ['user/12345/state/com.google/reading-list', { of: 'state', state: 'reading-list' }],
    ['reading-list', { of: 'state', state: 'reading-list' }],
    ['user/-/label/News & more/UK', { of: 'label', name: 'News & more/UK' }],
    [
      'user/-/label/user/-/state/com.google/read',
      { of: 'label', name: 'user/-/state/com.google/read' },
    ],
    ['user/-/label/Zeile\nzwei', { of: 'label', name: 'Zeile\nzwei' }],
    ['feed/12', { of: 'feed', feedId: 12 }],
    ['feed/feed/12', { of: 'feed', feedId: 12 }],
    ['feed/https://a.example/x?y=1&z', { of: 'address', address: 'https://a.example/x?y=1&z' }],
    ['feed/feed/https://a.example/', { of: 'address', address: 'https://a.example/' }],
    ['feed/http:/a.example/merged', { of: 'address', address: 'http://a.example/merged' }],
    ['feed/', { of: 'nothing' }],
    ['feed/99999999999999999999', { of: 'feed', feedId: Number.MAX_SAFE_INTEGER }],
    ['feed/012', { of: 'nothing' }],
    ['user/-/label/', { of: 'nothing' }],
    ['user/-/state/org.example/main', { of: 'nothing' }],
    ['https://a.example/', { of: 'nothing' }],
    ['', { of: 'nothing' }],
  ])('is read from %j', (text, expected) => {
    expect(streamNameOf(text)).toEqual(expected);
  });

  it('is that of a label or none', () => {
    expect(labelNameOf('user/-/label/Sea')).toBe('Sea');
    expect(labelNameOf('user/-/state/com.google/starred')).toBeNull();
  });
});
