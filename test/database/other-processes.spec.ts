import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { otherProcesses } from '../../src/database/other-processes.js';
import { createTestDatabase } from '../support/test-database.js';

const database = await createTestDatabase(false);
const connect = async (name: string) => {
  const client = new Client({ connectionString: database.url, application_name: name });
  await client.connect();
  return client;
};

describe('processes of Gatefold beside a command', () => {
  let command: Client;
  beforeAll(async () => {
    command = await connect('gatefold restore');
  });
  afterAll(async () => {
    await command.end();
    await database.drop();
  });

  it('are those that stay connected', async () => {
    const service = await connect('gatefold notices');

    const names = await otherProcesses(command, ['gatefold restore']);

    expect(names).toEqual(['gatefold notices']);
    await service.end();
  });

  it('are not those whose sessions are ending, also within a transaction', async () => {
    const stopped = await connect('gatefold');
    await command.query('begin');

    const names = otherProcesses(command, []);
    await command.query('select');
    await stopped.end();

    expect(await names).toEqual([]);
    await command.query('commit');
  });
});
