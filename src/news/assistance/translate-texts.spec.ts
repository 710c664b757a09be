import { describe, expect, it } from '@jest/globals';
import { AssistanceFailed } from './assistance.errors.js';
import { translateTexts } from './translate-texts.js';

const texts = (count: number) => Array.from({ length: count }, (_, n) => `text ${n}`);
const shouted = (given: readonly string[]) => given.map((text) => text.toUpperCase());

describe('texts to translate', () => {
  it('are sent one per line, in batches of limited size', async () => {
    const sent: string[] = [];
    const given = [...texts(50), 'x'.repeat(5000), 'y'];

    const translated = await translateTexts(given, async (text) => {
      sent.push(text);
      return text.toUpperCase();
    });

    expect(translated).toEqual(shouted(given));
    expect(sent.map((text) => text.split('\n').length)).toEqual([40, 10, 1, 1]);
  });

  it.each([
    ['empty lines between', (text: string) => text.replaceAll('\n', '\n\n')],
    ['line ends of Windows', (text: string) => text.replaceAll('\n', '\r\n')],
    ['spaces around', (text: string) => `\n  ${text}  \n`],
  ])('keep their order when the response has %s', async (_what, spoil) => {
    const translated = await translateTexts(texts(7), async (text) => spoil(text.toUpperCase()));

    expect(translated).toEqual(shouted(texts(7)));
  });

  it.each([
    ['joins lines', (text: string) => text.replaceAll('\n', ' ')],
    ['adds a remark', (text: string) => `Here you are:\n${text}`],
    ['leaves a line out', (text: string) => text.split('\n').slice(1).join('\n') || text],
  ])('keep their order with a translator that %s of several', async (_what, spoil) => {
    const translated = await translateTexts(texts(5), async (text) => {
      const upper = text.toUpperCase();
      return text.includes('\n') ? spoil(upper) : upper;
    });

    expect(translated).toEqual(shouted(texts(5)));
  });

  it('remain one line each, whatever the translator returns for one', async () => {
    expect(await translateTexts(['a'], async () => 'one\ntwo')).toEqual(['one two']);
  });

  it('fail if the translator returns nothing', async () => {
    await expect(translateTexts(['a'], async () => ' \n ')).rejects.toThrow(AssistanceFailed);
  });

  it('fail if the translator would need too many calls', async () => {
    let calls = 0;
    const translating = translateTexts(texts(1000), async () => {
      calls += 1;
      return 'always the same';
    });

    await expect(translating).rejects.toThrow('does not keep the lines');
    expect(calls).toBe(150);
  });
});
