/** A process that opens connections, and says at the end how many are still open. */
import net from 'node:net';
import { setPriority } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';

interface ConnectionsAttack {
  readonly port: number;
  /** In turn. */
  readonly localAddresses: readonly string[];
  readonly connections: number;
  /** What each sends. */
  readonly head: string;
}

const AT_ONCE = 100;
const PAUSE_MS = 10;

// On another machine it would take nothing from the service.
setPriority(5);
const sockets: net.Socket[] = [];
process.on('message', (message: ConnectionsAttack | 'end') => {
  if (message === 'end') {
    process.send?.(sockets.filter(({ destroyed }) => !destroyed).length);
  } else {
    void open(message);
  }
});

async function open(attack: ConnectionsAttack): Promise<void> {
  const { connections, head, port, localAddresses } = attack;
  while (sockets.length < connections) {
    for (let n = 0; n < AT_ONCE && sockets.length < connections; n++) {
      const localAddress = localAddresses[sockets.length % localAddresses.length] ?? '';
      const socket = net.connect({ host: '127.0.0.1', port, localAddress });
      // The proxy refuses most of them.
      socket.on('error', () => {}).on('data', () => {});
      socket.write(head);
      sockets.push(socket);
    }
    await pause(PAUSE_MS);
  }
}
