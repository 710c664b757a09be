import { expect, it } from '@jest/globals';
import { CopyQuery } from './copy-query.js';

/** A row of one text. */
function row(text: string): { chunk: Buffer } {
  const start = Buffer.alloc(6);
  start.writeInt16BE(1);
  start.writeInt32BE(Buffer.byteLength(text), 2);
  return { chunk: Buffer.concat([start, Buffer.from(text)]) };
}

it('has all rows when the server has finished', async () => {
  const query = new CopyQuery('copy …');

  query.handleCopyData(row('1'));
  query.handleCopyData(row('ü'));
  expect(query.isDone).toBe(false);
  query.handleReadyForQuery();

  expect(await query.received).toEqual([['1'], ['Ã¼']]);
  expect(query.isDone).toBe(true);
});

it('fails with an error, after which its connection cannot be used', async () => {
  const query = new CopyQuery('copy …');

  query.handleCopyData(row('1'));
  query.handleError(new Error('lost'));

  await expect(query.received).rejects.toThrow('lost');
  expect(query.isDone).toBe(false);
});
