import type { Response } from 'express';
import type { LiveEvent, LiveStream } from './live-updates.service.js';

export interface StreamPace {
  /** Interval of heartbeats, by which proxies and clients distinguish a quiet stream from a lost one. */
  readonly heartbeatMs: number;
  /** Longest life of a stream; the client reconnects and its credentials are checked again. */
  readonly longestMs: number;
}

/** A browser's delay before it reconnects. */
const RETRY_MS = 2000;

/** With more unsent bytes than this, the client has stopped reading. */
const LARGEST_BACKLOG_BYTES = 64 * 1024;

const HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-cache, no-transform',
  // Keeps nginx from buffering.
  'X-Accel-Buffering': 'no',
};

/** Server-sent events on a response. Nothing is sent before `begin` or the first event. */
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
    this.#writeRetry();
    // The response to HEAD has to end.
    if (this.response.req.method === 'HEAD') {
      this.end();
      return;
    }
    this.#heartbeat = setInterval(() => this.#write(':\n\n'), this.pace.heartbeatMs);
    this.#end = setTimeout(() => this.end(), this.pace.longestMs);
    this.response.once('close', () => this.#stopTimers());
  }

  send({ name, data }: LiveEvent): void {
    this.#write(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  /** Also before it has begun: a client comes back only after a stream of events. */
  end(): void {
    this.#stopTimers();
    if (!this.response.headersSent) {
      this.#writeRetry();
    }
    this.response.end();
  }

  #writeRetry(): void {
    this.#write(`retry: ${RETRY_MS}\n\n`);
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

  #stopTimers(): void {
    clearInterval(this.#heartbeat);
    clearTimeout(this.#end);
  }
}
