import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import { basic, type Credentials } from './api-client.js';
import { within } from './until.js';

export interface ServerSentEvent {
  readonly name: string;
  readonly data: unknown;
}

/** A client of server-sent events. */
export class EventListener {
  readonly events: ServerSentEvent[] = [];
  comments = 0;
  readonly #closed: Promise<void>;
  readonly #waiting = new Set<() => void>();
  #rest = '';

  private constructor(
    private readonly request: ClientRequest,
    readonly response: IncomingMessage,
  ) {
    response.setEncoding('utf8');
    response.on('data', (text: string) => this.#take(text));
    // A graceful end and an abort both end it.
    response.on('error', () => {});
    this.#closed = new Promise((resolve) => response.once('close', resolve));
  }

  /** Resolves when the response has begun; all later events are received. */
  static open(
    url: string,
    credentials?: Credentials,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<EventListener> {
    const opened = new Promise<EventListener>((resolve, reject) => {
      const request = http.get(
        url,
        {
          agent: false,
          headers: {
            ...headers,
            accept: 'text/event-stream',
            ...(credentials && { authorization: basic(credentials) }),
          },
        },
        (response) => resolve(new EventListener(request, response)),
      );
      request.on('error', reject);
    });
    return within('the beginning of events', opened);
  }

  /** Resolves when the response has ended, gracefully or not. */
  ended(): Promise<void> {
    return within('the end of events', this.#closed);
  }

  /** The nth event, counted from 1, as soon as it has arrived. */
  event(nth: number): Promise<ServerSentEvent> {
    return this.#when(`event ${nth}`, () => this.events[nth - 1]);
  }

  /** The first event with this name. */
  first(name: string): Promise<ServerSentEvent> {
    return this.#when(`an event ${name}`, () => this.events.find((event) => event.name === name));
  }

  heartbeats(count: number): Promise<true> {
    return this.#when(`${count} heartbeats`, () => (this.comments >= count ? true : undefined));
  }

  close(): void {
    this.request.destroy();
  }

  async #when<Found>(what: string, look: () => Found | undefined): Promise<Found> {
    const { promise, resolve } = Promise.withResolvers<Found>();
    const check = () => {
      const found = look();
      if (found !== undefined) {
        resolve(found);
      }
    };
    this.#waiting.add(check);
    check();
    try {
      return await within(what, promise);
    } finally {
      this.#waiting.delete(check);
    }
  }

  #take(text: string): void {
    const blocks = (this.#rest + text).split('\n\n');
    this.#rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const fields = new Map(block.split('\n').map((line) => fieldOf(line)));
      if (fields.has('')) {
        this.comments += 1;
      }
      const name = fields.get('event');
      if (name !== undefined) {
        this.events.push({ name, data: JSON.parse(fields.get('data') ?? 'null') });
      }
    }
    for (const check of this.#waiting) {
      check();
    }
  }
}

function fieldOf(line: string): [string, string] {
  const colon = line.indexOf(':');
  return [line.slice(0, colon), line.slice(colon + 1).trim()];
}
