import { describe, expect, it } from '@jest/globals';
import { letterAvatar } from './letter-avatar.js';

const ADA = { userId: 'ada', displayName: 'Ada Lovelace', sizePixels: 64, dark: false };

describe('a letter avatar', () => {
  it.each([
    ['Ada Lovelace', 'AL'],
    ['ada', 'A'],
    ['Ada King of Lovelace', 'AL'],
    ['  élodie  ', 'É'],
    ['👩‍🚀 Sally', '👩‍🚀S'],
    ['<b>', '&lt;'],
    ['', ''],
  ])('of "%s" shows %s', (displayName, letters) => {
    expect(letterAvatar({ ...ADA, displayName })).toContain(`>${letters}</text>`);
  });

  it('keeps its colour when the user is renamed, and has another for another user', () => {
    const background = (svg: string) => /<rect[^>]* fill="(#\w{6})"/.exec(svg)?.[1];

    const before = background(letterAvatar(ADA));
    expect(before).toBeDefined();
    expect(background(letterAvatar({ ...ADA, displayName: 'Countess' }))).toBe(before);
    expect(background(letterAvatar({ ...ADA, userId: 'grace' }))).not.toBe(before);
  });

  it.each([false, true])('has letters that can be read at every hue (dark: %s)', (dark) => {
    const contrasts = Array.from({ length: 2000 }, (_, index) => {
      const svg = letterAvatar({ ...ADA, userId: `user-${index}`, dark });
      const [background = '', letters = ''] = [...svg.matchAll(/fill="(#\w{6})"/g)].map(
        ([, colour = '']) => colour,
      );
      return contrast(background, letters);
    });

    expect(Math.min(...contrasts)).toBeGreaterThan(4.5);
  });
});

/** Contrast by WCAG 2. */
function contrast(one: string, other: string): number {
  const [lighter = 0, darker = 0] = [luminance(one), luminance(other)].toSorted((a, b) => b - a);
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255)
    .map((value) => (value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
