import { Injectable, Logger } from '@nestjs/common';

const LONGEST_MESSAGE = 10_000;

/** Lines that external apps write into the host's log. */
@Injectable()
export class ExAppLog {
  readonly #logger = new Logger('ExApp');

  /** By level: 0 debug, 1 info, 2 warning, 3 error, 4 fatal. */
  readonly #writers = [
    (line: string) => this.#logger.debug(line),
    (line: string) => this.#logger.log(line),
    (line: string) => this.#logger.warn(line),
    (line: string) => this.#logger.error(line),
    (line: string) => this.#logger.fatal(line),
  ];

  /** @returns false when there is no such level */
  write(appId: string, level: number, message: string): boolean {
    const writer = this.#writers[level];
    writer?.(`[${appId}] ${message.slice(0, LONGEST_MESSAGE)}`);
    return writer !== undefined;
  }
}
