import { createHash } from 'node:crypto';
import { rasterAvatar } from './raster-avatar.js';

interface LetterAvatar {
  readonly userId: string;
  /** Falls back to the user id. */
  readonly displayName: string;
  readonly sizePixels: number;
  /** Colours for dark themes. */
  readonly dark: boolean;
}

/** Ensures contrast with white letters at every hue, including light greens and yellows. */
const ON_LIGHT = { saturation: 45, lightness: 30, letters: '#ffffff' };
const ON_DARK = { saturation: 40, lightness: 22, letters: '#e6e6e6' };

const GRAPHEMES = new Intl.Segmenter();

/** The default avatar as SVG: initials on a colour derived from the user id. */
export function letterAvatar({ userId, displayName, sizePixels, dark }: LetterAvatar): string {
  const { letters } = dark ? ON_DARK : ON_LIGHT;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${sizePixels}" height="${sizePixels}" viewBox="0 0 64 64">`,
    `<rect width="64" height="64" fill="${backgroundOf(userId, dark)}"/>`,
    `<text x="32" y="32" dy=".35em" text-anchor="middle" font-family="sans-serif" font-size="28" fill="${letters}">`,
    `${escaped(initialsOf(displayName))}</text></svg>\n`,
  ].join('');
}

/** The avatar as PNG. */
export function letterAvatarPng({ userId, displayName, sizePixels, dark }: LetterAvatar): Buffer {
  return rasterAvatar({
    initials: initialsOf(displayName),
    sizePixels,
    background: backgroundOf(userId, dark),
    letters: (dark ? ON_DARK : ON_LIGHT).letters,
  });
}

function backgroundOf(userId: string, dark: boolean): string {
  const hue = createHash('sha256').update(userId).digest().readUInt16BE(0) % 360;
  const { saturation, lightness } = dark ? ON_DARK : ON_LIGHT;
  return hexOf(hue, saturation / 100, lightness / 100);
}

/** `#rrggbb`, since PNG has no HSL. */
function hexOf(hue: number, saturation: number, lightness: number): string {
  const reach = saturation * Math.min(lightness, 1 - lightness);
  const channel = (offset: number): string => {
    const position = (offset + hue / 30) % 12;
    const value = lightness - reach * Math.max(-1, Math.min(position - 3, 9 - position, 1));
    return Math.round(value * 255)
      .toString(16)
      .padStart(2, '0');
  };
  return `#${channel(0)}${channel(8)}${channel(4)}`;
}

/** Initials of the first and last word; a letter may have several code units. */
function initialsOf(displayName: string): string {
  const words = displayName.split(/\s+/).filter(Boolean);
  const ends = words.length > 1 ? [words[0], words.at(-1)] : words;
  return ends.map((word = '') => firstGrapheme(word).toUpperCase()).join('');
}

function firstGrapheme(text: string): string {
  const [first] = GRAPHEMES.segment(text);
  return first?.segment ?? '';
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
