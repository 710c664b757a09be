import type { Response } from 'express';

/** One JSON object a line. */
export const PROGRESS_LINES = 'application/x-ndjson';

const HEADERS = {
  'Content-Type': `${PROGRESS_LINES}; charset=utf-8`,
  'Cache-Control': 'no-store, no-transform',
  // nginx would otherwise collect lines until its buffer is full.
  'X-Accel-Buffering': 'no',
};

/**
 * An answer that tells how far the work has come, one JSON object a line. Nothing goes out before
 * the first line, so what fails until then has a status of its own.
 */
export class ProgressLines {
  constructor(private readonly response: Response) {}

  /** To a client that went away says nothing: the work goes on without it. */
  say(line: object): void {
    if (this.response.destroyed) {
      return;
    }
    if (!this.response.headersSent) {
      this.response.status(200).set(HEADERS);
    }
    this.response.write(`${JSON.stringify(line)}\n`);
  }

  end(lastLine: object): void {
    this.say(lastLine);
    this.response.end();
  }
}
