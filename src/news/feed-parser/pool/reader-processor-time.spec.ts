import { afterEach, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { until } from '../../../../test/support/until.js';
import { processorMsOfProcess, processorMsOfThread } from './reader-handle.js';

const ENDLESS = 'for (;;) {}';
const IDLE = `
  setInterval(() => {}, 1e6);
  require('node:worker_threads').parentPort.postMessage('ready');`;

const endings: (() => unknown)[] = [];
afterEach(() => Promise.all(endings.splice(0).map((end) => end())));

function aThread(program: string): Worker {
  const worker = new Worker(program, { eval: true });
  endings.push(() => worker.terminate());
  return worker;
}

const reaches = (milliseconds: number, measure: () => Promise<number | null>) =>
  until(
    `${milliseconds} ms of processor time`,
    async () => ((await measure()) ?? milliseconds) >= milliseconds,
  );

describe('the processor time of a reader', () => {
  it('grows while a thread works, even in an endless loop', async () => {
    const worker = aThread(ENDLESS);

    await expect(reaches(100, () => processorMsOfThread(worker))).resolves.toBeUndefined();
  });

  it('stays as it is while a thread waits, and is 0 after its end', async () => {
    const worker = aThread(IDLE);
    await once(worker, 'message');
    const started = (await processorMsOfThread(worker)) ?? Infinity;
    const busy = aThread(ENDLESS);
    await reaches(300, () => processorMsOfThread(busy));
    expect(((await processorMsOfThread(worker)) ?? Infinity) - started).toBeLessThan(150);
    await worker.terminate();

    expect(await processorMsOfThread(worker)).toBe(0);
  });

  it('is the busy time of a thread where the platform does not report it', async () => {
    const worker = aThread(ENDLESS);
    Object.defineProperty(worker, 'cpuUsage', { value: undefined });

    await expect(reaches(100, () => processorMsOfThread(worker))).resolves.toBeUndefined();
  });

  it('grows while a process works, where the platform reports it', async () => {
    const child = spawn(process.execPath, ['-e', ENDLESS], { stdio: 'ignore' });
    endings.push(() => child.kill('SIGKILL'));

    await expect(reaches(100, () => processorMsOfProcess(child.pid))).resolves.toBeUndefined();
    expect(await processorMsOfProcess(undefined)).toBeNull();
  });
});
