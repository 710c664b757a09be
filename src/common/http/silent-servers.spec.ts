import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { InvalidInput } from '../errors/domain-error.js';
import { SilentServers } from './silent-servers.js';

const HOST = 'mail.example:25';

let servers: SilentServers;
let logged: string[];
let nowMs: number;
beforeEach(() => {
  nowMs = 0;
  jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
  servers = new SilentServers();
  logged = [];
  for (const level of ['error', 'log'] as const) {
    jest
      .spyOn(Logger.prototype, level)
      .mockImplementation((text) => void logged.push(String(text)));
  }
});
afterEach(() => void jest.restoreAllMocks());

/** A call that ends with this error after so long. */
function fails(error: Error, afterMs: number): Promise<unknown> {
  return servers.ask(HOST, async () => {
    nowMs += afterMs;
    throw error;
  });
}

const answers = (host = HOST) => servers.ask(host, async () => 'answer');
const timesOut = () => fails(new Error('it took too long'), 10_000);

async function letThreeTimeOut(): Promise<void> {
  for (let n = 0; n < 3; n++) {
    await expect(timesOut()).rejects.toThrow('too long');
  }
}

describe('a server that lets three calls in a row time out', () => {
  it('is not asked, which is said at once, while others are', async () => {
    await letThreeTimeOut();

    await expect(answers()).rejects.toThrow(
      `The server at ${HOST} could not be reached: it has not answered for a while`,
    );
    expect(await answers('other.example')).toBe('answer');
  });

  it('is tried by one call after five seconds, and by the next ones if that is answered', async () => {
    await letThreeTimeOut();
    nowMs += 5000;

    let end = (_answer: string) => {};
    const first = servers.ask(HOST, () => new Promise<string>((resolve) => (end = resolve)));
    await expect(answers()).rejects.toThrow('not answered for a while');
    end('answer');

    expect(await first).toBe('answer');
    expect(await answers()).toBe('answer');
  });

  it('rests again if it does not answer that one, and is logged once', async () => {
    await letThreeTimeOut();
    nowMs += 5000;
    await expect(timesOut()).rejects.toThrow('too long');
    await expect(answers()).rejects.toThrow('not answered for a while');
    nowMs += 5000;
    await answers();

    expect(logged).toEqual([
      expect.stringContaining(`The server at ${HOST} does not answer`),
      `The server at ${HOST} answers again.`,
    ]);
  });
});

describe('a server is asked as before', () => {
  it.each([
    ['that refuses connections, since nobody waits for it', new Error('refused'), 10],
    ['when callers give up', new DOMException('gone', 'AbortError'), 10_000],
    ['when long uploads exceed a limit of ours', new InvalidInput('too large'), 10_000],
  ])('%s', async (_when, error, afterMs) => {
    for (let n = 0; n < 5; n++) {
      await expect(fails(error, afterMs)).rejects.toBe(error);
    }

    expect(await answers()).toBe('answer');
  });

  it('when it answers between two timeouts', async () => {
    for (let n = 0; n < 5; n++) {
      await expect(timesOut()).rejects.toThrow('too long');
      expect(await answers()).toBe('answer');
    }
  });
});
