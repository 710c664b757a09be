import { describe, expect, it } from '@jest/globals';
import type { Request } from 'express';
import { EventEmitter } from 'node:events';
import { Readable } from 'node:stream';
import { readConfig } from '../config/config.js';
import { EdgeRules } from '../config/edge-rules.js';
import { InputBodies } from './input-bodies.js';

const KIB = 1024;
const MIB = 1024 * KIB;

/** A JSON body of a user, all of which has arrived. */
function requestOf(userId: string, bytes: number): Request {
  return requestWith(JSON.stringify({ text: 'x'.repeat(bytes) }), userId);
}

function requestWith(body: string, userId = 'ada'): Request {
  return Object.assign(Readable.from([Buffer.from(body)]), {
    path: '/',
    headers: { 'content-type': 'application/json' },
    is: () => 'json',
    res: new EventEmitter(),
    account: { userId },
  }) as unknown as Request;
}

const inputBodies = () =>
  new InputBodies(
    readConfig({ DATABASE_URL: 'postgresql://database.example/' }, []),
    new EdgeRules([]),
  );

/** The turn of the event loop in which each body was parsed. */
async function turnsOf(
  requests: readonly Request[],
  read = (bodies: InputBodies, request: Request): Promise<unknown> => bodies.read(request),
): Promise<readonly number[]> {
  const bodies = inputBodies();
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
      await read(bodies, request);
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

  it('are parsed in a turn each, however small, if their parser is slow', async () => {
    const turns = await turnsOf(
      ['ada', 'ada', 'ada', 'bob'].map((who) => requestOf(who, KIB)),
      (bodies, request) => bodies.readInTurn(request, MIB),
    );

    expect(distinct(turns)).toBe(4);
    expect(turns[3]).toBeLessThan(Math.max(...turns));
  });

  it('are parsed at once, if they are small', async () => {
    expect(distinct(await turnsOf(['ada', 'ada', 'ada'].map((who) => requestOf(who, KIB))))).toBe(
      1,
    );
  });
});

describe('Text in JSON', () => {
  const read = (body: string) => inputBodies().read(requestWith(body));

  it('has no half of a surrogate pair, which the database could not read again', async () => {
    const body = String.raw`{"a":"\ud800","b":["x\uDFFFy",{"\ud9ab":1}],"c":"\ud83d\ude00","d":"\\ud800"}`;

    expect(await read(body)).toEqual({
      a: '�',
      b: ['x�y', { '�': 1 }],
      c: '😀',
      d: String.raw`\ud800`,
    });
  });

  it('keeps a key called __proto__ a key', async () => {
    const value = (await read(String.raw`{"__proto__":{"x":"\ud800"}}`)) as object;

    expect(Object.keys(value)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });
});
