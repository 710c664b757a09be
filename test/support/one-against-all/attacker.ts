/** A process that sends one attack at a time, named by messages of its parent; see `Attack`. */
import http from 'node:http';
import net from 'node:net';
import { setPriority } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import type { Attack, AttackResult, Manner, Message, Target } from './attack.js';
import { bodyOf, hostile, largest, type Body } from './hostile-requests.js';

const HELD_ROUTES = 100;
const SOCKETS_PER_ROUTE = 10;
const HELD_MS = 3_000;
/** Some answers are endless, and some wait. */
const LONGEST_BURST_MS = 1_500;
const BURSTS: Readonly<Partial<Record<Manner, number>>> = {
  'largest input': 16,
  'hostile values': 50,
  'in parallel': 200,
};

/** On another machine it would take nothing from the service. */
setPriority(5);
const agent = new http.Agent({ keepAlive: true, maxFreeSockets: 200 });
const say = (message: Message) => void process.send?.(message);

process.on('message', (attack: Attack) => {
  void perform(attack).then((result) => say({ kind: 'end', result }));
});

async function perform(attack: Attack): Promise<AttackResult> {
  const statuses: Record<number, number> = {};
  const faults = new Set<string>();
  const note = (status: number, { method, name }: Target) => {
    statuses[status] = (statuses[status] ?? 0) + 1;
    if (status === 500) {
      faults.add(`${method} ${name}`);
    }
  };
  const burst = BURSTS[attack.manner];
  let requests = 0;
  if (burst === undefined) {
    for (let n = 0; n < attack.targets.length; n += HELD_ROUTES) {
      const some = attack.targets.slice(n, n + HELD_ROUTES);
      say({ kind: 'routes', name: `${some[0]?.name ?? ''} and following` });
      requests += await hold(attack, some);
    }
  } else {
    for (const target of attack.targets) {
      say({ kind: 'routes', name: `${target.method} ${target.name}` });
      const bodies = requestsOf(attack, target);
      const ends = new AbortController();
      const timer = setTimeout(() => ends.abort(), LONGEST_BURST_MS);
      const sent = Array.from({ length: bodies.length === 0 ? 0 : burst }, async (_, n) => {
        const [path, body] = bodies[n % bodies.length] ?? [target.path, null];
        note(await send(attack.origin, target, path, body, ends.signal), target);
      });
      await Promise.all(sent);
      clearTimeout(timer);
      requests += sent.length;
    }
  }
  agent.destroy();
  return { requests, statuses, faults: [...faults] };
}

function requestsOf(
  { manner, usualBytes }: Attack,
  target: Target,
): readonly (readonly [path: string, body: Body | null])[] {
  switch (manner) {
    case 'largest input':
      return largest(target, usualBytes);
    case 'hostile values':
      return hostile(target);
    default:
      return [bodyOf(target)];
  }
}

/** @returns the status; 0 if there was none in time */
function send(
  origin: string,
  { method, headers }: Target,
  path: string,
  body: Body | null,
  signal: AbortSignal,
): Promise<number> {
  return new Promise((resolve) => {
    let status = 0;
    const length = { 'content-length': String(body?.bytes.length ?? 0) };
    const type = body === null ? {} : { 'content-type': body.type };
    const request = http.request(
      origin + path,
      { method, agent, signal, headers: { ...headers, ...type, ...length } },
      (response) => {
        status = response.statusCode ?? 0;
        response.on('error', () => {}).on('close', () => resolve(status));
        response.resume();
      },
    );
    request.on('error', () => {}).on('close', () => resolve(status));
    request.end(body?.bytes);
  });
}

/** Keeps connections open for a while, and then ends them. @returns how many */
async function hold({ origin, manner }: Attack, targets: readonly Target[]): Promise<number> {
  const { hostname, port } = new URL(origin);
  const sockets = targets.flatMap((target) =>
    Array.from({ length: SOCKETS_PER_ROUTE }, () => {
      const socket = net.connect({ host: hostname, port: Number(port) });
      socket.on('error', () => {});
      if (manner !== 'never reads') {
        socket.resume();
      }
      socket.write(beginning(target, manner));
      return socket;
    }),
  );
  const half = HELD_MS / 2;
  await pause(half);
  if (manner !== 'never reads') {
    sockets.filter(({ writable }) => writable).forEach((socket) => socket.write('x'));
  }
  await pause(half);
  sockets.forEach((socket) => socket.destroy());
  return sockets.length;
}

function beginning(target: Target, manner: Manner): Buffer {
  const [path, body] = bodyOf(target);
  const claimed = { trickles: 60_000, 'unfinished body': 1_000_000_000 }[manner as string];
  const bytes = claimed === undefined ? (body?.bytes ?? Buffer.alloc(0)) : Buffer.from('{');
  const headers = {
    host: 'reader.example',
    ...target.headers,
    'content-type': body?.type ?? 'application/json',
    'content-length': String(claimed ?? bytes.length),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `${target.method} ${path} HTTP/1.1\r\n${lines.join('')}`;
  return manner === 'slow header'
    ? Buffer.from(head)
    : Buffer.concat([Buffer.from(`${head}\r\n`), bytes]);
}
