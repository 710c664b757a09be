import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { DatabaseNotices, type NoticeListener } from '../../database/database-notices.js';
import type { SqlRunner } from '../../database/database.js';

const CHANNEL = 'gatefold_chat';

/** Told the conversation that has something new; null when that is not known. */
type ChatListener = (conversationId: number | null) => void;

/** Whoever waits for news of one conversation. Closed when no longer used. */
export interface ChatWatch {
  /**
   * Resolves at once if there was news since the last call, else with the next news, the end of
   * the signal or the stop of the service.
   */
  news(signal: AbortSignal): Promise<void>;
  close(): void;
}

/** Says that there is something new in a conversation, to all processes. */
@Injectable()
export class ChatSignals implements BeforeApplicationShutdown {
  readonly #listeners = new Set<ChatListener>();
  readonly #noticed: NoticeListener = {
    heard: (text) => this.#tell(Number(text)),
    resumed: () => this.#tell(null),
  };
  #stopping = false;

  constructor(private readonly notices: DatabaseNotices) {}

  /** Whether waiting makes no sense any more. */
  get stopping(): boolean {
    return this.#stopping;
  }

  /** How many listen at this process. */
  get listening(): number {
    return this.#listeners.size;
  }

  /** Heard when the transaction commits. */
  async changed(conversationId: number, on: SqlRunner): Promise<void> {
    await this.notices.announce(CHANNEL, String(conversationId), on);
  }

  /** Returns when nothing from now on is missed. @returns ends it */
  async #listen(listener: ChatListener): Promise<() => void> {
    const end = () => void this.#listeners.delete(listener);
    this.#listeners.add(listener);
    try {
      await this.notices.listen(CHANNEL, this.#noticed);
      return end;
    } catch (error) {
      end();
      throw error;
    }
  }

  /** Returns when nothing from now on is missed. */
  async watch(conversationId: number): Promise<ChatWatch> {
    let fresh = false;
    let wake = () => {};
    const close = await this.#listen((changedId) => {
      if (changedId === null || changedId === conversationId) {
        fresh = true;
        wake();
      }
    });
    const news = async (signal: AbortSignal) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      wake = resolve;
      signal.addEventListener('abort', wake, { once: true });
      if (fresh || signal.aborted || this.#stopping) {
        resolve();
      }
      await promise;
      signal.removeEventListener('abort', wake);
      fresh = false;
    };
    return { news, close };
  }

  beforeApplicationShutdown(): void {
    this.#stopping = true;
    this.#tell(null);
  }

  #tell(conversationId: number | null): void {
    for (const listener of this.#listeners) {
      listener(conversationId);
    }
  }
}
