import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { FeedDocument } from '../parsed-feed.js';
import type { ReadingResult } from './answer-documents.js';
import { processorMsOfProcess, processorMsOfThread } from './reader-processor-time.js';

/** Where documents are read, one at a time, apart from the service. */
export interface ReadingPlace {
  /** The bytes are handed over and not to be used again. */
  send(document: FeedDocument): void;
  /** Whether the place keeps our process alive, as it should while it reads. */
  keepAlive(isReading: boolean): void;
  /**
   * Processor time used so far, in milliseconds. Where the platform does not tell it, the time during
   * which the place was busy or has existed.
   */
  processorMs(): Promise<number>;
  end(): Promise<void>;
}

export interface PlaceEvents<Content> {
  answered(result: ReadingResult<Content>): void;
  /** It ended, by itself or because it was told to. */
  ended(outOfMemory: boolean, cause: unknown): void;
}

/** @param file a module that calls `answerDocuments` */
export type OpenPlace = <Content>(
  file: URL,
  maxOldGenerationMb: number,
  events: PlaceEvents<Content>,
) => ReadingPlace;

/**
 * A thread: light, but code that takes memory faster than it can be stopped ends the whole process.
 * For code that was written with that in mind.
 */
export const openThread: OpenPlace = (file, maxOldGenerationMb, events) => {
  const worker = new Worker(file, {
    resourceLimits: { maxOldGenerationSizeMb: maxOldGenerationMb },
  });
  worker.on('message', (result) => events.answered(result));
  worker.on('error', (error) =>
    events.ended('code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY', error),
  );
  worker.on('exit', () => events.ended(false, null));
  worker.unref();
  return {
    send: (document) => worker.postMessage(document, [document.bytes.buffer as ArrayBuffer]),
    keepAlive: (isReading) => (isReading ? worker.ref() : worker.unref()),
    processorMs: () => processorMsOfThread(worker),
    async end() {
      await worker.terminate();
    },
  };
};

/** What V8 leaves behind when it gives up for want of memory. */
const OUT_OF_MEMORY_SIGNALS = new Set(['SIGABRT', 'SIGTRAP', 'SIGILL']);
const OUT_OF_MEMORY_CODE = 134;

/**
 * A process, which can do nothing worse than end. It gets none of our environment, and stands apart
 * from the keys of a terminal; when we are gone, it ends too.
 */
export const openProcess: OpenPlace = (file, maxOldGenerationMb, events) => {
  const child = fork(file, {
    detached: true,
    env: {},
    execArgv: [`--max-old-space-size=${maxOldGenerationMb}`],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const ended = once(child, 'close').catch(() => {
    // It never started, which the listener below tells.
  });
  child.on('message', (result) => events.answered(result as never));
  child.on('error', (error) => events.ended(false, error));
  child.on('exit', (code, signal) =>
    events.ended(code === OUT_OF_MEMORY_CODE || OUT_OF_MEMORY_SIGNALS.has(signal ?? ''), null),
  );
  const startedAt = performance.now();
  const keepAlive = (isReading: boolean): void => {
    child[isReading ? 'ref' : 'unref']();
    child.channel?.[isReading ? 'ref' : 'unref']();
  };
  keepAlive(false);
  return {
    keepAlive,
    processorMs: async () =>
      (await processorMsOfProcess(child.pid)) ?? performance.now() - startedAt,
    send: (document) =>
      // A child that has just ended says so by its own event.
      child.send(document, () => {}),
    async end() {
      keepAlive(true);
      child.kill('SIGKILL');
      await ended;
    },
  };
};
