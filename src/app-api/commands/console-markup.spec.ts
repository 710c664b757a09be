import { describe, expect, it } from '@jest/globals';
import { ConsoleMarkup } from './console-markup.js';

const WRITTEN = Buffer.from('<info>gré</info> <b> \\<info> 1 < 2 <fg=red;options=bold>x</> \\');

function shown(chunks: readonly Uint8Array[], hasColours = false): string {
  const markup = new ConsoleMarkup(hasColours);
  return chunks.map((chunk) => markup.write(chunk)).join('') + markup.end();
}

describe('console markup', () => {
  it('is removed for an output without colours, but for what is escaped or no tag', () => {
    expect(shown([WRITTEN])).toBe('gré <b> <info> 1 < 2 x \\');
  });

  it.each([false, true])('is the same in chunks of any size, with colours: %p', (hasColours) => {
    const whole = shown([WRITTEN], hasColours);
    for (let size = 1; size < WRITTEN.length; size += 1) {
      const chunks = Array.from({ length: Math.ceil(WRITTEN.length / size) }, (_, n) =>
        WRITTEN.subarray(n * size, (n + 1) * size),
      );
      expect({ size, text: shown(chunks, hasColours) }).toEqual({ size, text: whole });
    }
  });
});
