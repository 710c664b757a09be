import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { LIMITS, withFile } from '../../../../test/news/imports/parsed.js';
import { UnreadableImport } from './found-row.js';
import { readImport } from './read-import.js';

const FRESHRSS = readFileSync('test/news/imports/files/freshrss-starred.json');

describe('readImport', () => {
  it('reads a file in a thread, in batches of at most 200 articles', async () => {
    const row = String(FRESHRSS).slice(String(FRESHRSS).indexOf('[') + 1, -4);
    const file = `{"items":[${new Array<string>(150).fill(row).join(',')}]}`;

    await withFile(file, async (place) => {
      const reading = await readImport(place, LIMITS);
      const sizes: number[] = [];
      for await (const batch of reading.rows) {
        sizes.push(batch.length);
      }

      expect(reading.format).toBe('freshrss');
      expect(sizes).toEqual([200, 100]);
      expect(reading.summary()).toEqual({
        leftOut: { reasons: [], places: [] },
        feeds: [],
        opml: [],
      });
    });
  });

  it('refuses a file with a sentence, at once or when it has too many articles', async () => {
    await withFile('%PDF-1.7', async (place) => {
      await expect(readImport(place, LIMITS)).rejects.toThrow(
        new UnreadableImport('This is a PDF, not a file with articles.'),
      );
    });
    await withFile(FRESHRSS, async (place) => {
      await expect(readImport(place, { ...LIMITS, mostRows: 1 })).rejects.toThrow(UnreadableImport);
    });
  });

  it('says that a file is not there, which is no fault of the file', async () => {
    await expect(readImport('/nonexistent/file', LIMITS)).rejects.not.toThrow(UnreadableImport);
  });

  it('ends its thread when nobody reads on', async () => {
    await withFile(FRESHRSS, async (place) => {
      const { rows, close } = await readImport(place, LIMITS);
      await close();

      await expect(rows[Symbol.asyncIterator]().next()).resolves.toMatchObject({ done: false });
      await expect(rows[Symbol.asyncIterator]().next()).rejects.toThrow(UnreadableImport);
    });
  });
});
