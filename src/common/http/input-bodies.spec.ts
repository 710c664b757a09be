import { describe, expect, it } from '@jest/globals';
import type { Request } from 'express';
import { EventEmitter } from 'node:events';
import { Readable } from 'node:stream';
import { loadConfig } from '../config/config.js';
import { EdgeRules } from './edge-rules.js';
import { InputBodies } from './input-bodies.js';

const KIB = 1024;

/** A JSON body of a user, all of which has arrived. */
function requestOf(userId: string, bytes: number): Request {
  const body = JSON.stringify({ text: 'x'.repeat(bytes) });
  return Object.assign(Readable.from([Buffer.from(body)]), {
    path: '/',
    headers: { 'content-type': 'application/json' },
    is: () => 'json',
    res: new EventEmitter(),
    account: { userId },
  }) as unknown as Request;
}

/** For each body, in which turn of the event loop it was parsed. */
async function turnsOf(requests: readonly Request[]): Promise<readonly number[]> {
  const bodies = new InputBodies(
    loadConfig({ DATABASE_URL: 'postgresql://database.example/' }),
    new EdgeRules([]),
  );
  let turn = 0;
  let isOver = false;
  const count = () => {
    turn += 1;
    if (!isOver) {
      setImmediate(count);
    }
  };
  count();
  const turns = await Promise.all(
    requests.map(async (request) => {
      await bodies.read(request);
      return turn;
    }),
  );
  isOver = true;
  return turns;
}

const distinct = (turns: readonly number[]) => new Set(turns).size;

describe('Bodies that arrive at the same time', () => {
  it('are parsed in a turn of the event loop each, if they are large', async () => {
    const turns = await turnsOf(
      ['ada', 'ada', 'ada', 'bob'].map((who) => requestOf(who, 200 * KIB)),
    );

    expect(distinct(turns)).toBe(4);
    // Bob does not wait for all of Ada's.
    expect(turns[3]).toBeLessThan(Math.max(...turns));
  });

  it('are parsed at once, if they are small', async () => {
    expect(distinct(await turnsOf(['ada', 'ada', 'ada'].map((who) => requestOf(who, KIB))))).toBe(
      1,
    );
  });
});
