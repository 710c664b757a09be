import { expect, it } from '@jest/globals';
import type { Connection } from 'pg';
import { PassThrough } from 'node:stream';
import { CopyQuery } from './copy-query.js';

/** A row of one text. */
function row(text: string): { chunk: Buffer } {
  const start = Buffer.alloc(6);
  start.writeInt16BE(1);
  start.writeInt32BE(Buffer.byteLength(text), 2);
  return { chunk: Buffer.concat([start, Buffer.from(text)]) };
}

function submitted() {
  const stream = new PassThrough();
  const query = new CopyQuery('copy …');
  query.submit({ stream, query: () => {} } as unknown as Connection);
  stream.resume();
  return { query, stream, batches: query.batches() };
}

it('stops reading when many rows wait, and goes on when they are taken', async () => {
  const { query, stream, batches } = submitted();

  let rows = 0;
  for (; !stream.isPaused() && rows < 1000; rows += 1) {
    query.handleCopyData(row('x'.repeat(10_000)));
  }
  expect(rows).toBe(14);

  const { value } = await batches.next();
  expect(value).toHaveLength(14);
  expect(stream.isPaused()).toBe(false);
});

it('reads a row that is longer than the bound', async () => {
  const { query, stream, batches } = submitted();

  query.handleCopyData(row('ü'.repeat(500_000)));
  expect(stream.isPaused()).toBe(true);
  query.handleReadyForQuery();

  expect((await batches.next()).value?.[0]?.[0]).toHaveLength(1_000_000);
  expect((await batches.next()).done).toBe(true);
  expect(stream.isPaused()).toBe(false);
});

it('leaves the connection reading when its consumer stops before the last batch', () => {
  const { query, stream } = submitted();

  query.handleCopyData(row('x'.repeat(200_000)));
  query.handleReadyForQuery();

  expect([query.isDone, stream.isPaused()]).toEqual([true, false]);
});

it('wakes a waiting consumer with the rows of one chunk, with an error, and with the end', async () => {
  const { query, batches } = submitted();

  const two = batches.next();
  query.handleCopyData(row('1'));
  query.handleCopyData(row('2'));
  expect(await two).toEqual({ done: false, value: [['1'], ['2']] });

  const failing = batches.next();
  query.handleError(new Error('lost'));
  await expect(failing).rejects.toThrow('lost');
  expect(query.isDone).toBe(false);

  const other = submitted();
  const end = other.batches.next();
  other.query.handleReadyForQuery();
  expect(await end).toEqual({ done: true, value: undefined });
});
