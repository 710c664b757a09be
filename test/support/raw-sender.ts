import { once } from 'node:events';
import net from 'node:net';
import { within } from './until.js';

/** A connection on which a test sends arbitrary bytes. */
export class RawSender {
  readonly #socket: net.Socket;
  readonly #closed: Promise<unknown>;
  #received = '';

  constructor(url: string) {
    const { hostname, port } = new URL(url);
    this.#socket = net.connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    this.#socket.setEncoding('latin1');
    this.#socket.on('data', (chunk: string) => {
      this.#received += chunk;
    });
    this.#socket.once('end', () => this.#socket.end());
    // Data in transit when the service closes the connection.
    this.#socket.on('error', () => {});
    this.#closed = new Promise((resolve) => this.#socket.once('close', resolve));
  }

  /** Everything received so far. */
  get received(): string {
    return this.#received;
  }

  get isClosed(): boolean {
    return this.#socket.closed;
  }

  /** Resolves when the connection has ended. */
  async closed(): Promise<void> {
    await within('the end of a connection', this.#closed);
  }

  send(bytes: string | Uint8Array): this {
    this.#socket.write(bytes);
    return this;
  }

  /** The head of a request whose body is never sent. */
  begin(
    method: string,
    path: string,
    bodyBytes: number,
    headers: Readonly<Record<string, string>> = {},
  ): this {
    const lines = Object.entries({ 'content-length': String(bodyBytes), ...headers }).map(
      ([name, value]) => `${name}: ${value}\r\n`,
    );
    return this.send(`${method} ${path} HTTP/1.1\r\nHost: reader.example\r\n${lines.join('')}\r\n`);
  }

  /**
   * Status of the first response, once its head has arrived; 0 if the connection ends without one.
   */
  async status(): Promise<number> {
    await within('the head of a response', this.#head());
    return Number(/^HTTP\/1\.1 (\d{3})/.exec(this.#received)?.[1] ?? 0);
  }

  close(): void {
    this.#socket.destroy();
  }

  async #head(): Promise<void> {
    while (!this.#received.includes('\r\n\r\n') && !this.#socket.closed) {
      await Promise.race([once(this.#socket, 'data'), this.#closed]).catch(() => {});
    }
  }
}
