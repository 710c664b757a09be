import { expect, it } from '@jest/globals';
import { Client } from 'pg';
import { BytesQuery, chooseDecoding } from './byte-rows.js';

function aQuery(): BytesQuery {
  const client = new Client();
  chooseDecoding(client);
  // As pg does when it connects.
  (client.connection as unknown as { attachListeners(stream: unknown): void }).attachListeners(
    client.connection.stream,
  );
  return new BytesQuery({ text: 'select …' }, client);
}

it('wakes a waiting consumer with the rows of one chunk, and with the end', async () => {
  const query = aQuery();
  const batches = query.batches();

  const two = batches.next();
  query.handleRowDescription();
  query.handleDataRow({ fields: ['1'] });
  query.handleDataRow({ fields: ['Ã¼'] });
  expect(await two).toEqual({ done: false, value: [['1'], ['Ã¼']] });

  const end = batches.next();
  query.handleCommandComplete();
  query.handleReadyForQuery();
  expect(await end).toEqual({ done: true, value: undefined });
  await query.ended();
});

it('fails with an error, after which its connection cannot be used', async () => {
  const query = aQuery();

  const failing = query.batches().next();
  query.handleError(new Error('lost'));

  await expect(failing).rejects.toThrow('lost');
  await expect(query.ended()).rejects.toThrow('lost');
});
