import type { Response } from 'express';

/** One JSON object per line. */
export const PROGRESS_LINES = 'application/x-ndjson';

const HEADERS = {
  'Content-Type': `${PROGRESS_LINES}; charset=utf-8`,
  'Cache-Control': 'no-store, no-transform',
  // Keeps nginx from buffering.
  'X-Accel-Buffering': 'no',
};

/**
 * A response with progress reports, one JSON object per line. Nothing is sent before the first line, so
 * an earlier failure can still set the status.
 */
export class ProgressLines {
  constructor(private readonly response: Response) {}

  /** Does nothing once the client has disconnected: the work continues. */
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
