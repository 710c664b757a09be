import { expect, it } from '@jest/globals';
import { CopyQuery } from './copy-query.js';

/** A row of one text. */
function row(text: string): { chunk: Buffer } {
  const start = Buffer.alloc(6);
  start.writeInt16BE(1);
  start.writeInt32BE(Buffer.byteLength(text), 2);
  return { chunk: Buffer.concat([start, Buffer.from(text)]) };
}

it('wakes a waiting consumer with the rows of one chunk, and with the end', async () => {
  const query = new CopyQuery('copy …');
  const batches = query.batches();

  const two = batches.next();
  query.handleCopyData(row('1'));
  query.handleCopyData(row('ü'));
  expect(await two).toEqual({ done: false, value: [['1'], ['Ã¼']] });

  const end = batches.next();
  query.handleReadyForQuery();
  expect(await end).toEqual({ done: true, value: undefined });
  await query.ended();
});

it('fails with an error, after which its connection cannot be used', async () => {
  const query = new CopyQuery('copy …');

  const failing = query.batches().next();
  query.handleError(new Error('lost'));

  await expect(failing).rejects.toThrow('lost');
  await expect(query.ended()).rejects.toThrow('lost');
});
