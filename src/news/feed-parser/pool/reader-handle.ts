import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { Worker } from 'node:worker_threads';
import { startLimitedThread } from '../../../common/limited-thread.js';
import type { FeedDocument } from '../parsed-feed.js';
import type { ReadingResult } from './answer-documents.js';

/** A worker thread or child process that reads one document at a time. */
export interface ReaderHandle {
  /** Transfers the bytes; the caller must not use them again. */
  send(document: FeedDocument): void;
  /** Whether the reader keeps this process alive, as it should while it reads. */
  keepAlive(isReading: boolean): void;
  /**
   * Processor time used so far, in milliseconds; its busy time or lifetime where the platform does
   * not report it.
   */
  processorMs(): Promise<number>;
  end(): Promise<void>;
}

export interface ReaderEvents<Content> {
  answered(result: ReadingResult<Content>): void;
  /** The reader ended, by itself or on request. */
  ended(outOfMemory: boolean, cause: unknown): void;
}

/** @param file a module that calls `answerDocuments` */
export type OpenReader = <Content>(
  file: URL,
  maxOldGenerationMb: number,
  events: ReaderEvents<Content>,
) => ReaderHandle;

/** A larger one makes reading no faster; V8's default is 128 MiB on a large machine. */
const YOUNG_GENERATION_MB = 12;

/**
 * A thread: cheap, but code that allocates faster than V8 can stop it ends the whole process. Only
 * for code with bounded allocations.
 */
export const openThread: OpenReader = (file, maxOldGenerationMb, events) => {
  const worker = startLimitedThread(file, {
    resourceLimits: {
      maxOldGenerationSizeMb: maxOldGenerationMb,
      maxYoungGenerationSizeMb: YOUNG_GENERATION_MB,
    },
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

/** How a process ends when V8 runs out of memory. */
const OUT_OF_MEMORY_SIGNALS = new Set(['SIGABRT', 'SIGTRAP', 'SIGILL']);
const OUT_OF_MEMORY_CODE = 134;

/**
 * A child process, which cannot harm the service when it ends. It gets an empty environment, is detached
 * from the terminal's signals, and ends with the service.
 */
export const openProcess: OpenReader = (file, maxOldGenerationMb, events) => {
  const child = fork(file, {
    detached: true,
    env: {},
    execArgv: [`--max-old-space-size=${maxOldGenerationMb}`],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const ended = once(child, 'close').catch(() => {
    // It failed to start; the error listener below reports that.
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
      // Ignores send errors: the exit event reports a child that has just ended.
      child.send(document, () => {}),
    async end() {
      keepAlive(true);
      child.kill('SIGKILL');
      await ended;
    },
  };
};

/** Linux reports processor time in hundredths of a second on all hardware. */
const TICK_MS = 10;

/** Fields 14 and 15 of `/proc/PID/stat`, user and system time, as offsets after the program name. */
const USER_TIME = 11;
const SYSTEM_TIME = 12;

/**
 * Processor time of a thread in milliseconds. Before Node.js 24.6 its busy time, which is longer on
 * a loaded machine.
 */
export async function processorMsOfThread(worker: Worker): Promise<number> {
  if (typeof worker.cpuUsage !== 'function') {
    return worker.performance.eventLoopUtilization().active;
  }
  try {
    const { user, system } = await worker.cpuUsage();
    return (user + system) / 1000;
  } catch {
    // The thread has not started yet or has ended.
    return 0;
  }
}

/** Processor time of another process in milliseconds; null where the platform does not report it. */
export async function processorMsOfProcess(pid: number | undefined): Promise<number | null> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  if (stat === null) {
    return null;
  }
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[USER_TIME]) + Number(fields[SYSTEM_TIME])) * TICK_MS;
}
