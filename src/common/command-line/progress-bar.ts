import { terminal } from './terminal.js';

const WIDTH = 30;

/** Output of a progress bar, such as stderr. */
interface Screen {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/**
 * A progress bar on one line of stderr. Prints nothing without a terminal, to keep log files
 * readable.
 */
export class ProgressBar {
  #drawn = '';

  constructor(
    private readonly label: string,
    private readonly screen: Screen = terminal().stderr,
  ) {}

  /** @param done of `total`, in any unit */
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

  end(): void {
    if (this.#drawn !== '') {
      this.screen.write('\n');
      this.#drawn = '';
    }
  }
}
