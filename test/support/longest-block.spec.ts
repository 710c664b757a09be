import { describe, expect, it } from '@jest/globals';
import { setTimeout as pause } from 'node:timers/promises';
import { longestBlockDuring } from './longest-block.js';

/** Of this thread, with the time that the operating system takes to tell it. */
function processorMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

function compute(ms: number): void {
  const until = processorMs() + ms;
  while (processorMs() < until) {
    // Computes.
  }
}

describe('the longest block', () => {
  it('is what a thread computes without a turn for others', async () => {
    const { computingMs, elapsedMs } = await longestBlockDuring(async () => {
      compute(30);
      await pause(1);
      compute(90);
      await pause(1);
      compute(30);
    });

    expect(computingMs).toBeGreaterThan(85);
    expect(elapsedMs).toBeGreaterThanOrEqual(computingMs);
  });

  it('does not add up what is done in turns, nor count waiting', async () => {
    const { computingMs } = await longestBlockDuring(async () => {
      for (let n = 0; n < 12; n += 1) {
        compute(10);
        await pause(5);
      }
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 150);
    });

    expect(computingMs).toBeLessThan(85);
  });
});
