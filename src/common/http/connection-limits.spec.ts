import { afterEach, describe, expect, it } from '@jest/globals';
import { createServer, type Server } from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { found, once } from '../../../test/support/until.js';
import { limitConnections, type ConnectionLimits } from './connection-limits.js';

const sockets: net.Socket[] = [];
let server: Server;
afterEach(() => {
  for (const socket of sockets.splice(0)) {
    socket.destroy();
  }
  server.close();
});

async function start(limits: Partial<ConnectionLimits>): Promise<void> {
  server = createServer(({ url }, response) => {
    if (url !== '/held') {
      response.end('hello');
    }
  });
  limitConnections(server, { most: 100, mostOfNetwork: 3, isProxy: () => false, ...limits });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
}

function open(): net.Socket {
  const socket = net.connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => {});
  sockets.push(socket);
  return socket;
}

const ask = (socket: net.Socket) => {
  socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  return text(socket);
};

describe('limitConnections', () => {
  it('refuses one more connection from an address with 429, and takes it when another ends', async () => {
    await start({});
    const idle = [open(), open(), open()];
    await Promise.all(idle.map((socket) => once(socket, 'connect')));

    expect(await text(open())).toMatch(/^HTTP\/1\.1 429 .*Connection: close/s);
    idle[0]?.destroy();
    const answer = await found('an answer on another connection', async () => {
      const text = await ask(open()).catch(() => '');
      return text.startsWith('HTTP/1.1 200') ? text : null;
    });

    expect(answer).toContain('hello');
  });

  it('does not count a proxy, which connects for others', async () => {
    await start({ isProxy: (address) => address === '127.0.0.1' });
    const idle = Array.from({ length: 5 }, () => open());
    await Promise.all(idle.map((socket) => once(socket, 'connect')));

    expect(await ask(open())).toContain('hello');
  });

  it('ends what has waited longest, and no request, when nearly all connections are in use', async () => {
    await start({ most: 10, mostOfNetwork: 10 });
    const held = open();
    const asked = once(server, 'request');
    held.write('GET /held HTTP/1.1\r\nHost: x\r\n\r\n');
    await asked;
    const unfinished: net.Socket[] = [];
    for (let n = 0; n < 8; n += 1) {
      const socket = open();
      socket.write('GET / HTTP/1.1\r\n');
      unfinished.push(socket);
      await once(server, 'connection');
    }
    const first = unfinished[0] as net.Socket;
    const ended = once(first, 'close');

    expect(await ask(open())).toContain('hello');
    await ended;
    expect([held, ...unfinished].filter(({ closed }) => closed)).toEqual([first]);
  });

  it('bounds all connections together, and the time of headers', async () => {
    await start({ most: 7 });

    expect(server.maxConnections).toBe(7);
    expect(server.headersTimeout).toBe(20_000);
  });
});
