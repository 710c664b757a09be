import type { Response } from 'express';
import type { LiveEvent, LiveStream } from './live-updates.service.js';

export interface StreamPace {
  /** Sends a sign of life this often, so that proxies and clients know a quiet stream from a lost one. */
  readonly heartbeatMs: number;
  /** Ends the stream after this; the client comes back at once, with credentials that still count. */
  readonly longestMs: number;
}

/** What a browser waits before it connects again. */
const RETRY_MS = 2000;

/** Who lets this much pile up reads nothing any more. */
const LARGEST_BACKLOG_BYTES = 64 * 1024;

const HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-cache, no-transform',
  // nginx would otherwise collect events until its buffer is full.
  'X-Accel-Buffering': 'no',
};

/** Server-sent events on an answer. Nothing goes out before `begin` or the first event. */
export class EventStream implements LiveStream {
  #heartbeat: NodeJS.Timeout | undefined;
  #end: NodeJS.Timeout | undefined;

  constructor(
    private readonly response: Response,
    private readonly pace: StreamPace,
  ) {}

  begin(): void {
    if (this.response.destroyed || this.response.writableEnded) {
      return;
    }
    this.#write(`retry: ${RETRY_MS}\n\n`);
    // Whoever wants the headers only would wait for an end that never comes.
    if (this.response.req.method === 'HEAD') {
      this.end();
      return;
    }
    this.#heartbeat = setInterval(() => this.#write(':\n\n'), this.pace.heartbeatMs);
    this.#end = setTimeout(() => this.end(), this.pace.longestMs);
    this.response.once('close', () => this.#rest());
  }

  send({ name, data }: LiveEvent): void {
    this.#write(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  end(): void {
    this.#rest();
    this.response.end();
  }

  #write(text: string): void {
    const { response } = this;
    if (response.destroyed || response.writableEnded) {
      return;
    }
    if (response.writableLength > LARGEST_BACKLOG_BYTES) {
      response.destroy();
      return;
    }
    if (!response.headersSent) {
      response.status(200).set(HEADERS);
    }
    response.write(text);
  }

  #rest(): void {
    clearInterval(this.#heartbeat);
    clearTimeout(this.#end);
  }
}
