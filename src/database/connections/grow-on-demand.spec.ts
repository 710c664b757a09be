import { expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { Pool } from 'pg';
import { growOnDemand } from './grow-on-demand.js';

it('opens one connection at a time, and the next also when one fails', async () => {
  let opened = 0;
  let open = 0;
  let mostAtOnce = 0;
  const server = createServer((socket) => {
    opened += 1;
    open += 1;
    mostAtOnce = Math.max(mostAtOnce, open);
    socket.once('close', () => (open -= 1)).once('data', () => socket.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const pool = new Pool({ host: '127.0.0.1', port: (server.address() as AddressInfo).port });
  growOnDemand(pool);

  const results = await Promise.allSettled(Array.from({ length: 5 }, () => pool.connect()));

  expect(results.map(({ status }) => status)).toEqual(Array(5).fill('rejected'));
  expect({ opened, mostAtOnce }).toEqual({ opened: 5, mostAtOnce: 1 });
  await pool.end();
  server.close();
});
