import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { FeedDocument } from '../parsed-feed.js';
import type { OpenReader, ReaderEvents } from './reader-handle.js';
import { ReadingPool, readersFor, type ReadingPoolOptions } from './reading-pool.js';

/** A reader whose answers and processor time the spec controls. */
interface FakeReader {
  readonly reading: string[];
  processorMs: number;
  ended: boolean;
  answer(): void;
}

let readers: FakeReader[];

const openFakeReader: OpenReader = (_file, _memory, events: ReaderEvents<never>) => {
  const reader: FakeReader = {
    reading: [],
    processorMs: 0,
    ended: false,
    answer: () =>
      events.answered({ kind: 'read', content: (reader.reading.at(-1) ?? '') as never }),
  };
  readers.push(reader);
  return {
    send: ({ url }) => void reader.reading.push(url),
    keepAlive: () => {},
    processorMs: async () => reader.processorMs,
    end: async () => {
      reader.ended = true;
    },
  };
};

class FakePool extends ReadingPool<string> {
  constructor(options: ReadingPoolOptions = {}) {
    super(new URL('file:///none'), options, openFakeReader);
  }
}

const SMALL = 1024;
const LARGE = 1024 * 1024;

const aDocument = (url: string, bytes = SMALL): FeedDocument => ({
  bytes: new Uint8Array(bytes),
  contentType: null,
  url,
});

const readerOf = (url: string): FakeReader => {
  const reader = readers.find(({ reading }) => reading.at(-1) === url);
  if (reader === undefined) {
    throw new Error(`no reader reads ${url}`);
  }
  return reader;
};

const read = (): string[] => readers.flatMap(({ reading }) => reading);

beforeEach(() => {
  readers = [];
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

describe('time limits of a document', () => {
  it('count processor time: a loaded machine ends no document', async () => {
    const reading = new FakePool().read(aDocument('a', LARGE));
    await jest.advanceTimersByTimeAsync(60_000);

    expect(readerOf('a').ended).toBe(false);
    readerOf('a').answer();
    await expect(reading).resolves.toBe('a');
  });

  it.each([
    ['a large document', LARGE, 9_900, 10_100, '10 s'],
    ['a small document', SMALL, 2_900, 3_100, '3 s'],
  ])('end %s', async (_what, bytes, before, beyond, limit) => {
    const reading = new FakePool().read(aDocument('a', bytes)).catch((error: Error) => error);
    readerOf('a').processorMs = before;
    await jest.advanceTimersByTimeAsync(1_000);
    expect(readerOf('a').ended).toBe(false);
    readerOf('a').processorMs = beyond;
    await jest.advanceTimersByTimeAsync(1_000);

    expect(readerOf('a').ended).toBe(true);
    await expect(reading).resolves.toMatchObject({
      message: `The document takes more than ${limit} of processor time to read.`,
    });
  });

  it('start again for each document', async () => {
    const pool = new FakePool({ size: 1 });
    const first = pool.read(aDocument('a'));
    readerOf('a').processorMs = 2_900;
    await jest.advanceTimersByTimeAsync(300);
    readerOf('a').answer();
    await first;
    const second = pool.read(aDocument('b'));
    await jest.advanceTimersByTimeAsync(300);
    readerOf('b').processorMs = 5_000;
    await jest.advanceTimersByTimeAsync(300);

    expect(readerOf('b').ended).toBe(false);
    readerOf('b').answer();
    await expect(second).resolves.toBe('b');
  });

  it('include elapsed time', async () => {
    const reading = new FakePool().read(aDocument('a')).catch((error: Error) => error);
    await jest.advanceTimersByTimeAsync(121_000);

    expect(readerOf('a').ended).toBe(true);
    await expect(reading).resolves.toMatchObject({
      message: 'The document took longer than 120 s to read.',
    });
  });
});

describe('the queue', () => {
  it('reserves one reader for small documents', () => {
    const pool = new FakePool({ size: 2 });
    for (const url of ['large 1', 'large 2', 'large 3']) {
      void pool.read(aDocument(url, LARGE));
    }
    void pool.read(aDocument('small 1'));
    void pool.read(aDocument('small 2'));

    expect(read()).toEqual(['large 1', 'small 1']);
    readerOf('small 1').answer();
    expect(read()).toContain('small 2');
  });

  it('lets small documents overtake large ones, but not indefinitely', () => {
    const pool = new FakePool({ size: 1 });
    void pool.read(aDocument('first'));
    void pool.read(aDocument('large', LARGE));
    for (let i = 1; i <= 30; i++) {
      void pool.read(aDocument(`small ${i}`));
    }
    for (let i = 0; i < 31; i++) {
      readers[0]?.answer();
    }

    expect(read().slice(0, 3)).toEqual(['first', 'small 1', 'small 2']);
    expect(read().indexOf('large')).toBe(21);
    expect(read()).toHaveLength(32);
  });

  it('has at least two readers on a machine with the memory for them', () => {
    const pool = new FakePool();
    void pool.read(aDocument('large', LARGE));
    void pool.read(aDocument('small'));

    expect(read()).toEqual(['large', 'small']);
  });
});

it.each([
  [1, 64, 2],
  [8, 64, 7],
  [8, 2, 4],
  [8, 0.5, 2],
  [8, 0.25, 1],
])('%d cores and %d GiB have %d readers', (cores, gibibytes, count) => {
  expect(readersFor(cores, gibibytes * 1024 ** 3)).toBe(count);
});
