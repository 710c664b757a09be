import { Res } from '@nestjs/common';
import type { Response } from 'express';
import { z } from 'zod';
import { Media } from '../../../common/contracts/operation.decorator.js';
import { Get } from '../../../common/contracts/routes.js';
import { Input, type In } from '../../../common/http/input.decorator.js';
import { Shares } from '../../../common/http/shares.js';
import { whenClosed } from '../../../common/http/when-closed.js';
import { NewsController, V1_3 } from '../../http/levels.guard.js';
import { CLIENT_NAME } from '../../http/requesting-client.interceptor.js';
import { integer, text } from '../../parameters.js';
import { CurrentReader } from '../delivery/current-reader.decorator.js';
import type { Reader } from '../delivery/reader-ids.repository.js';
import { LiveUpdates, type LiveEvent, type LiveStream } from './live-updates.service.js';

export interface StreamPace {
  /** Interval of heartbeats, by which proxies and clients distinguish a quiet stream from a lost one. */
  readonly heartbeatMs: number;
  /** Longest life of a stream; the client reconnects and its credentials are checked again. */
  readonly longestMs: number;
}

/** A browser's delay before it reconnects. */
const RETRY_MS = 2000;

/** Unsent bytes at which a client counts as having stopped reading. */
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

  /** Begins the response if necessary: a client reconnects only after a stream of events. */
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

const Listen = z.object({
  client: z.preprocess(
    (value) => value ?? null,
    z.union([z.null(), text.regex(CLIENT_NAME)], {
      error: 'must have at most 64 letters, digits, _ and -',
    }),
  ),
  since: integer.optional(),
});

/**
 * Live updates as server-sent events. Not part of the specification.
 *
 * @see docs/news-api.md "Live updates"
 */
@NewsController(V1_3, 'events')
export class EventsV13Controller {
  pace: StreamPace = { heartbeatMs: 25_000, longestMs: 1_800_000 };

  constructor(
    private readonly live: LiveUpdates,
    private readonly shares: Shares,
  ) {}

  @Get('', 'Reports changes as they happen.', new Media('text/event-stream', 'Server-sent events.'))
  async listen(
    @CurrentReader() reader: Reader,
    @Input(Listen) { client, since }: In<typeof Listen>,
    @Res() response: Response,
  ): Promise<void> {
    whenClosed(response, this.shares.take('live updates', reader.userId));
    const stream = new EventStream(response, this.pace);
    const gone = new Promise<void>((resolve) => whenClosed(response, resolve));
    // Also if what follows fails.
    void gone.then(await this.live.open(reader, client, stream));
    if (since !== undefined) {
      await this.live.reportMissed(reader, since, stream);
    }
    stream.begin();
  }
}
