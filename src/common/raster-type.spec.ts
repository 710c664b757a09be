import { describe, expect, it } from '@jest/globals';
import { rasterTypeOf } from './raster-type.js';

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const GIF = Buffer.from('GIF89a and so on');
const ICO = Buffer.from('00000100010010100000010020006804', 'hex');
const SVG = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');

describe('A picture is known by its bytes', () => {
  it.each([
    ['image/png', PNG.toString('hex')],
    ['image/jpeg', 'ffd8ffe000104a464946'],
    ['image/gif', GIF.toString('hex')],
    ['image/gif', Buffer.from('GIF87a').toString('hex')],
    ['image/webp', Buffer.from('RIFF\u0001\u0002\u0003\u0004WEBPVP8 ').toString('hex')],
    ['image/x-icon', ICO.toString('hex')],
    ['image/bmp', '424d3600000000000000360000002800'],
    ['image/avif', '0000001c667479706176696600000000'],
    ['image/avif', '0000001c667479706176697300000000'],
  ])('to be %s: %s', (mime, hex) => {
    expect(rasterTypeOf(Buffer.from(hex, 'hex'))).toBe(mime);
  });

  it.each([
    ['SVG', SVG],
    ['SVG after an XML declaration', Buffer.from('<?xml version="1.0"?><svg/>')],
    ['a mouse pointer', Buffer.from('00000200010010100000010020006804', 'hex')],
    ['an empty icon file', Buffer.from('000001000000', 'hex')],
    ['a sound', Buffer.from('RIFF\u0001\u0002\u0003\u0004WAVEfmt ')],
    ['a film', Buffer.from('0000001c6674797069736f6d00000000', 'hex')],
    ['text that begins like a picture', Buffer.from('BMW sells cars')],
    ['the beginning of a signature', PNG.subarray(0, 4)],
    ['a signature that comes late', Buffer.concat([Buffer.from(' '), PNG])],
  ])('not to be one: %s', (_what, bytes) => {
    expect(rasterTypeOf(bytes)).toBeNull();
  });
});
