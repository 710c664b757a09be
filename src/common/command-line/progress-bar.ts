const WIDTH = 30;

/** What a progress bar is drawn on; `process.stderr` is one. */
interface Screen {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/**
 * Shows how far something has come, on one line that is drawn over and over. Where nobody watches
 * it shows nothing, so that log files stay readable. Goes to stderr: stdout is for the answer.
 */
export class ProgressBar {
  #drawn = '';

  constructor(
    private readonly label: string,
    private readonly screen: Screen = process.stderr,
  ) {}

  /** @param done of `total`, in whatever unit */
  show(done: number, total: number): void {
    if (!this.screen.isTTY || total <= 0) {
      return;
    }
    const share = Math.min(1, done / total);
    const filled = '█'.repeat(Math.round(share * WIDTH)).padEnd(WIDTH, '░');
    const line = `${this.label} ${filled} ${String(Math.floor(share * 100)).padStart(3)} %`;
    if (line !== this.#drawn) {
      this.screen.write(`\r${line}`);
      this.#drawn = line;
    }
  }

  /** Leaves the bar as it is and goes on below. */
  end(): void {
    if (this.#drawn !== '') {
      this.screen.write('\n');
      this.#drawn = '';
    }
  }
}
