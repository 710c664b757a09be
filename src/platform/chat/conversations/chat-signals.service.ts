import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import type { SqlRunner } from '../../../database/database.js';
import { DatabaseNotices, type NoticeListener } from '../../../database/notices/notices.js';

const CHANNEL = 'gatefold_chat';

/** Receives the id of the changed conversation; null when signals may have been missed. */
type ChatListener = (conversationId: number | null) => void;

/** Waits for changes of one conversation. Must be closed. */
interface ChatWatch {
  /** Resolves with the next change since the last call, when `signal` aborts or the service stops. */
  news(signal: AbortSignal): Promise<void>;
  close(): void;
}

/** Signals changes of conversations to all processes. */
@Injectable()
export class ChatSignals implements BeforeApplicationShutdown {
  readonly #listeners = new Set<ChatListener>();
  readonly #noticed: NoticeListener = {
    heard: (text) => this.#tell(Number(text)),
    resumed: () => this.#tell(null),
  };
  #stopping = false;

  constructor(private readonly notices: DatabaseNotices) {}

  /** Whether the service is shutting down. */
  get stopping(): boolean {
    return this.#stopping;
  }

  /** Watches open in this process. */
  get listening(): number {
    return this.#listeners.size;
  }

  /** Delivered when the transaction commits. */
  async changed(conversationId: number, on: SqlRunner): Promise<void> {
    await this.notices.announce(CHANNEL, String(conversationId), on);
  }

  /** Resolves when no later change is missed. @returns stops listening */
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

  /** Resolves when no later change is missed. */
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
