import { describe, expect, it } from '@jest/globals';
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { ok } from './envelope.js';
import { toXml } from './ocs-wire.js';

/** The content between `<data>` and `</data>`. */
function dataOf(data: unknown): string {
  const xml = toXml(ok('v2', data));
  expect(XMLValidator.validate(xml)).toBe(true);
  return /<data>(.*)<\/data>|<data\/>/s.exec(xml)?.[1] ?? '';
}

describe('toXml', () => {
  it('can be read by an XML parser, texts unchanged', () => {
    const text = '<b>"Ä" & \'ö\'</b> ]]> 🦊';

    const read: unknown = new XMLParser({ parseTagValue: false }).parse(toXml(ok('v1', { text })));

    expect(read).toMatchObject({
      ocs: { meta: { status: 'ok', statuscode: '100', message: 'OK' }, data: { text } },
    });
  });

  it('makes list entries and numeric keys to <element>', () => {
    expect(dataOf(['a', 'b'])).toBe('<element>a</element><element>b</element>');
    expect(dataOf({ 0: 'a', 7: 'b' })).toBe('<element>a</element><element>b</element>');
    expect(dataOf([[1], []])).toBe('<element><element>1</element></element><element/>');
  });

  it('writes null, false and empty texts as empty elements, true as 1', () => {
    expect(dataOf({ a: null, b: false, c: '', d: true, e: 0 })).toBe(
      '<a/><b/><c/><d>1</d><e>0</e>',
    );
  });

  it('leaves out what is undefined, as JSON does', () => {
    expect(dataOf({ a: undefined, b: 1 })).toBe('<b>1</b>');
  });

  it('makes keys fit that no tag can be called', () => {
    expect(dataOf({ 'display-name': 1, 'a b': 2, '1st': 3, '<x>': 4, ä: 5 })).toBe(
      '<display-name>1</display-name><a_b>2</a_b><_1st>3</_1st><_x_>4</_x_><_>5</_>',
    );
  });

  it('drops characters that no XML may hold, and halves of characters', () => {
    expect(dataOf({ a: 'x\u0000\u001b\uFFFFy\tz' })).toBe('<a>xy\tz</a>');
    expect(dataOf({ a: 'x\uD83Dy' })).toBe('<a>x\uFFFDy</a>');
  });

  it('writes a single value as it is', () => {
    expect(dataOf(5)).toBe('5');
    expect(dataOf('a & b')).toBe('a &amp; b');
  });
});
