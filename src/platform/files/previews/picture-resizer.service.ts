import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { fork, type ChildProcess } from 'node:child_process';
import { FairTurns } from '../../../common/fair-turns.js';
import { PreviewsBusy } from '../files.errors.js';

/** A request to the child process. */
export interface ResizeRequest {
  /** Path of the picture. */
  readonly source: string;
  /** Path of the file to write. */
  readonly target: string;
  readonly width: number;
  readonly height: number;
  readonly crop: boolean;
}

/** The compiled program for compiled code, otherwise its source. */
const PROGRAM = new URL(
  import.meta.url.endsWith('.ts') ? './resize-picture.process.ts' : './resize-picture.process.js',
  import.meta.url,
);

const TURNS = { atOnce: 1, atOnceOfOwner: 1, waiting: 400, waitingOfOwner: 150 };
const TIME_LIMIT_MS = 15_000;
const IDLE_MS = 30_000;

/**
 * Resizes pictures, one at a time alternating between users, in a child process that starts on demand (60
 * MiB plus the picture) and ends when idle. A picture that takes too long, or crashes, fails alone.
 */
@Injectable()
export class PictureResizer implements BeforeApplicationShutdown {
  readonly #logger = new Logger('Files');
  #child: ChildProcess | undefined;
  readonly #turns = new FairTurns(TURNS, () => new PreviewsBusy());
  #current: Promise<unknown> = Promise.resolve();
  #idle: NodeJS.Timeout | undefined;
  #stopped = false;

  /**
   * @param userId owner of the turn
   * @param prepare called when it is this picture's turn
   * @param isWanted asked when it is this picture's turn
   * @returns false when the picture cannot be read, or is not wanted any more
   * @throws PreviewsBusy, and errors of `prepare`
   */
  async resize(
    userId: string,
    prepare: () => Promise<ResizeRequest>,
    isWanted: () => boolean,
  ): Promise<boolean> {
    return this.#turns.run(userId, async () => {
      if (!isWanted() || this.#stopped) {
        return false;
      }
      const resizing = this.#resizeNow(await prepare());
      this.#current = resizing;
      return resizing;
    });
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.#stopped = true;
    this.#end();
    await this.#current;
  }

  async #resizeNow(request: ResizeRequest): Promise<boolean> {
    clearTimeout(this.#idle);
    const child = (this.#child ??= this.#start());
    keepAlive(child, true);
    const done = await new Promise<boolean>((resolve) => {
      const limit = setTimeout(() => settle(false, 'took too long'), TIME_LIMIT_MS);
      const settle = (made: boolean, problem?: string): void => {
        clearTimeout(limit);
        child.off('message', answered).off('exit', ended).off('error', ended);
        if (problem !== undefined) {
          this.#logger.warn(`Resizing a picture ${problem}: ${request.source}`);
          this.#end();
        }
        resolve(made);
      };
      const answered = (made: unknown) => settle(made === true);
      const ended = () => settle(false, 'ended its process');
      child.on('message', answered).on('exit', ended).on('error', ended);
      child.send(request, (error) => error && ended());
    });
    if (this.#child === child) {
      keepAlive(child, false);
      this.#idle = setTimeout(() => this.#end(), IDLE_MS).unref();
    }
    return done;
  }

  #start(): ChildProcess {
    const child = fork(PROGRAM, {
      detached: true,
      env: { UV_THREADPOOL_SIZE: '2', MALLOC_ARENA_MAX: '2' },
      execArgv: ['--max-old-space-size=64', '--no-warnings'],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    // Reported to the picture that is being resized.
    child.on('error', () => {});
    child.on('exit', () => {
      if (this.#child === child) {
        this.#child = undefined;
      }
    });
    return child;
  }

  #end(): void {
    clearTimeout(this.#idle);
    this.#child?.kill('SIGKILL');
    this.#child = undefined;
  }
}

function keepAlive(child: ChildProcess, isWorking: boolean): void {
  child[isWorking ? 'ref' : 'unref']();
  child.channel?.[isWorking ? 'ref' : 'unref']();
}
