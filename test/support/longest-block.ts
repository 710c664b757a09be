import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PerformanceObserver, type PerformanceEntry } from 'node:perf_hooks';
import { setImmediate as turn } from 'node:timers/promises';
import { isMainThread } from 'node:worker_threads';

/** The longest time in which a main thread served nobody. */
export interface Block {
  /**
   * Processor time of the thread, without collecting garbage. Does not depend on the load of the machine:
   * what the thread waited for a processor is in `elapsedMs` only.
   */
  readonly computingMs: number;
  /** Its share of the same block that collected garbage, which frees what all requests have left. */
  readonly collectingMs: number;
  readonly elapsedMs: number;
}

/** Between two looks; a block is told as up to this much longer. */
const LOOK_MS = 4;

/** Shorter ones are forgotten. */
const SHORTEST_MS = 8;

const NONE: Block = { computingMs: 0, collectingMs: 0, elapsedMs: 0 };
const FILE = 'longest-block.ts';
const SAYS = 'The longest block is told at ';

/** `preload` of `aServiceProcess`: makes `longestBlock` possible. */
export const TELLS_BLOCKS: readonly string[] = [FILE];

/**
 * The longest block of a service since the last call, or since its start.
 *
 * @param service started with `TELLS_BLOCKS`
 */
export async function longestBlock(service: {
  readonly pid: number;
  log(): string;
}): Promise<Block> {
  const address = new RegExp(`${SAYS}(\\S+) by ${service.pid}\\b`).exec(service.log())?.[1];
  assert(address, 'The service was not started with TELLS_BLOCKS.');
  return (await fetch(address)).json() as Promise<Block>;
}

/** The longest block of this thread while the work runs, for services in the same process. */
export async function longestBlockDuring(work: () => unknown): Promise<Block> {
  const watch = new BlockWatch();
  try {
    await work();
    return await watch.longest();
  } finally {
    watch.end();
  }
}

interface Gap {
  readonly from: number;
  readonly to: number;
  readonly busyMs: number;
}

/** Looks at the clock of the thread's processor time in each turn of the event loop. */
class BlockWatch {
  #gaps: Gap[] = [];
  #collections: PerformanceEntry[] = [];
  #seenAt = performance.now();
  #usage = process.threadCpuUsage();
  readonly #timer = setInterval(() => this.#look(), LOOK_MS).unref();
  readonly #observer = new PerformanceObserver((list) => {
    this.#collections.push(...list.getEntries());
  });

  constructor() {
    this.#observer.observe({ entryTypes: ['gc'] });
  }

  /** Since the last call. */
  async longest(): Promise<Block> {
    this.#look();
    // Collections are told a turn later.
    await turn();
    this.#collections.push(...this.#observer.takeRecords());
    const blocks = this.#gaps.map((gap) => this.#blockOf(gap));
    this.#gaps = [];
    this.#collections = [];
    return blocks.reduce((one, other) => (other.computingMs > one.computingMs ? other : one), NONE);
  }

  end(): void {
    clearInterval(this.#timer);
    this.#observer.disconnect();
  }

  #look(): void {
    const now = performance.now();
    const usage = process.threadCpuUsage();
    const busyMs = (usage.user + usage.system - this.#usage.user - this.#usage.system) / 1000;
    if (busyMs > SHORTEST_MS) {
      this.#gaps.push({ from: this.#seenAt, to: now, busyMs });
    }
    this.#seenAt = now;
    this.#usage = usage;
  }

  #blockOf({ from, to, busyMs }: Gap): Block {
    const elapsedMs = to - from;
    const collectedMs = this.#collections
      .filter(({ startTime }) => startTime >= from && startTime < to)
      .reduce((sum, { duration }) => sum + duration, 0);
    // Told as elapsed time, of which the thread may have waited for a processor.
    const collectingMs = Math.min(collectedMs / elapsedMs, 1) * busyMs;
    return { computingMs: busyMs - collectingMs, collectingMs, elapsedMs };
  }
}

/** Of the process that was started with this file, not of its threads. */
if (isMainThread && process.execArgv.some((argument) => argument.endsWith(`/${FILE}`))) {
  const watch = new BlockWatch();
  const server = createServer((_request, response) => {
    void watch.longest().then((block) => response.end(JSON.stringify(block)));
  });
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo;
    process.stdout.write(`${SAYS}http://127.0.0.1:${port} by ${process.pid}\n`);
  });
  server.unref();
}
