import { Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Database } from '../database.js';
import { DatabaseNotices } from '../notices/notices.js';

const TURN_MS = 800;
/** Turns of the event loop without an answer: a busy process reads answers late. */
const MOST_TURNS = 3;

/**
 * Detects a server that keeps its connections open without answering. While there is work, it probes by
 * another connection; without an answer, all work ends and is refused until there is one.
 */
@Injectable()
export class ServerWatch {
  #isSilent = false;
  /** Turns since the server was asked; undefined after its answer. */
  #turns: number | undefined;

  constructor(
    private readonly database: Database,
    private readonly notices: DatabaseNotices,
  ) {}

  @Interval('database-server', TURN_MS)
  async turn(): Promise<void> {
    const { used, waiting } = this.database.connections();
    if (this.#turns !== undefined) {
      this.#turns += 1;
      if (this.#turns === MOST_TURNS && !this.#isSilent) {
        this.database.noteSilence((this.#isSilent = true));
        await this.notices.reconnect();
      }
    } else if (this.#isSilent || used + waiting > 0) {
      this.#turns = 0;
      // An error: the connection is lost, and the next turn asks by another.
      if (await this.notices.ask().catch(() => false)) {
        this.database.noteSilence((this.#isSilent = false));
      }
      this.#turns = undefined;
    }
  }
}
