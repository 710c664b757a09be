import type { Socket } from 'node:net';
import { Writable } from 'node:stream';
import { z } from 'zod';
import { Cancelled, type Terminal, type TerminalOutput } from '../common/command-line/terminal.js';

/** More than the words of a command take. */
const LONGEST_MESSAGE = 262_144;

const output = z.object({ isTTY: z.boolean(), columns: z.number().optional() });

const Asked = z.object({
  programId: z.string(),
  words: z.array(z.string()),
  /** Digests of those in its environment, by name. */
  settings: z.record(z.string(), z.string()),
  isInteractive: z.boolean(),
  stdout: output,
  stderr: output,
});

const Answer = z.object({ answer: z.string().nullable() });
const Closed = z.object({ closed: z.enum(['stdout', 'stderr']) });

/**
 * A program that wants its command to run here. Messages are JSON, one a line. When it has gone, methods throw
 * an error with code EPIPE, as a closed pipe does.
 */
export class Caller {
  readonly #gone = new AbortController();
  readonly #outputs: Partial<Record<'stdout' | 'stderr', Writable>> = {};
  #expected: PromiseWithResolvers<unknown> | undefined;

  constructor(private readonly socket: Socket) {
    let held = '';
    socket.setEncoding('utf8').on('data', (text: string) => {
      const lines = `${held}${text}`.split('\n');
      held = lines.pop() ?? '';
      lines.forEach((line) => this.#take(line));
      if (held.length > LONGEST_MESSAGE) {
        socket.destroy();
      }
    });
    socket.on('error', () => {});
    socket.once('close', () => {
      this.#gone.abort(brokenPipe());
      this.#expected?.reject(brokenPipe());
      Object.values(this.#outputs).forEach((stream) => stream.destroy(brokenPipe()));
    });
  }

  /** What it says first. */
  async asked(): Promise<z.infer<typeof Asked>> {
    return Asked.parse(await this.#next());
  }

  /** From now on it does not run the command itself. */
  async take(): Promise<void> {
    await this.#ask({ isTaken: true });
  }

  refuse(): void {
    this.socket.end(lineOf({ isTaken: false }));
  }

  async exit(exitCode: number): Promise<void> {
    const outputs = Object.values(this.#outputs);
    await Promise.all(
      outputs.map((stream) => new Promise<void>((resolve) => stream.end(() => resolve()))),
    );
    this.socket.end(lineOf({ exitCode }));
  }

  terminal({ isInteractive, stdout, stderr }: z.infer<typeof Asked>): Terminal {
    const ask = async (message: object) => Answer.parse(await this.#ask(message)).answer;
    return {
      isInteractive,
      stdout: this.#output('stdout', stdout),
      stderr: this.#output('stderr', stderr),
      exitCode: 0,
      signal: this.#gone.signal,
      variable: async (name) => (await ask({ ask: 'variable', what: name })) ?? undefined,
      ask: async (question, isSecret) => {
        const answer = await ask({ ask: isSecret ? 'secret' : 'line', what: question });
        if (answer === null) {
          throw new Cancelled();
        }
        return answer;
      },
    };
  }

  #output(name: 'stdout' | 'stderr', facts: z.infer<typeof output>): TerminalOutput {
    const stream = new Writable({
      decodeStrings: false,
      write: (chunk: string | Buffer, _encoding, done) => {
        this.socket.write(lineOf({ [name]: String(chunk) }), (error) =>
          done(error ? brokenPipe() : null),
        );
      },
    });
    this.#outputs[name] = stream.on('error', () => {});
    return Object.assign(stream, facts);
  }

  async #ask(message: object): Promise<unknown> {
    const answer = this.#next();
    this.socket.write(lineOf(message));
    return answer;
  }

  async #next(): Promise<unknown> {
    this.#gone.signal.throwIfAborted();
    this.#expected = Promise.withResolvers();
    return this.#expected.promise;
  }

  #take(line: string): void {
    try {
      const message: unknown = JSON.parse(line);
      const closed = Closed.safeParse(message).data?.closed;
      if (closed !== undefined) {
        this.#outputs[closed]?.destroy(brokenPipe());
        return;
      }
      this.#expected?.resolve(message);
    } catch {
      this.socket.destroy();
    }
  }
}

function lineOf(message: object): string {
  return `${JSON.stringify(message)}\n`;
}

function brokenPipe(): Error {
  return Object.assign(new Error('The caller has gone.'), { code: 'EPIPE' });
}
