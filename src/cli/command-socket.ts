import { Logger } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, lstat, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { atTerminal } from '../common/command-line/terminal.js';
import { dataFolderMode } from '../common/data-folder.js';
import { inPackage } from '../common/package-root.js';
import { Caller } from './caller.js';

/** Others wait; a caller that waits too long runs its command itself. */
const MOST_COMMANDS = 8;
const MOST_CONNECTIONS = 64;

/** Until a caller has said what it wants. */
const PATIENCE_MS = 10_000;

/** Until a caller has read more of what a command has printed. */
const READING_MS = 600_000;

const LOOK_MS = 20;

/** The limit of the operating system is 107 bytes on Linux, 103 on macOS. */
const LONGEST_PATH_BYTES = 100;

/** Written by `tools/bundle.mjs`, and read before an upgrade replaces it. */
const ID_FILE = inPackage('dist/app/program-id.txt');
const PROGRAM_ID = existsSync(ID_FILE) ? readFileSync(ID_FILE, 'utf8') : '';

/** Prepares a command at the terminal of a caller; null for one that runs in its own process. */
export type PrepareCommand = (words: readonly string[]) => Promise<(() => Promise<void>) | null>;

/**
 * Runs commands in this process that were typed elsewhere (`bin/in-service.mjs`), so that they need not load the
 * application. See docs/decisions/0093.
 */
export class CommandSocket {
  /** Other hosts may share the folder. */
  readonly #place: string;
  readonly #open = new Set<Socket>();
  #server: Server | undefined;
  #inode = 0;
  #isStopping = false;
  /** Number of commands that run. */
  running = 0;

  constructor(
    dataDir: string,
    private readonly prepare: PrepareCommand,
  ) {
    this.#place = path.join(dataDir, `command-${digestOf(os.hostname()).slice(0, 8)}.sock`);
  }

  /** Takes over the place of a former process, or of one that is being replaced. */
  async start(): Promise<void> {
    if (this.#isStopping || Buffer.byteLength(this.#place) > LONGEST_PATH_BYTES) {
      return;
    }
    try {
      await mkdir(path.dirname(this.#place), { recursive: true, mode: dataFolderMode() });
      await this.#listen();
    } catch (error) {
      new Logger('Service').debug(`Commands run elsewhere: ${(error as Error).message}`);
    }
  }

  /** Takes no more commands, and lets those that run finish. */
  async stop(withinMs: number): Promise<void> {
    this.#isStopping = true;
    this.#server?.close();
    if ((await lstat(this.#place).catch(() => undefined))?.ino === this.#inode) {
      await rm(this.#place, { force: true });
    }
    const deadline = performance.now() + withinMs;
    while (this.running > 0 && performance.now() < deadline) {
      await pause(LOOK_MS);
    }
    this.#open.forEach((socket) => socket.destroy());
  }

  async #listen(): Promise<void> {
    // Nobody else can enter it before the mode is set.
    const folder = await mkdtemp(path.join(path.dirname(this.#place), '.command-'));
    try {
      const draft = path.join(folder, 's');
      const server = createServer((socket) => void this.#serve(socket)).unref();
      server.maxConnections = MOST_CONNECTIONS;
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject).listen(draft, resolve);
      });
      await chmod(draft, 0o600);
      this.#inode = (await lstat(draft)).ino;
      await rename(draft, this.#place);
      this.#server = server;
    } finally {
      await rm(folder, { recursive: true });
    }
  }

  async #serve(socket: Socket): Promise<void> {
    this.#open.add(socket);
    socket.once('close', () => this.#open.delete(socket));
    socket.setTimeout(PATIENCE_MS, () => socket.destroy());
    try {
      await this.#answer(socket, new Caller(socket));
    } catch {
      // It has gone, or says something else.
      socket.destroy();
    }
  }

  async #answer(socket: Socket, caller: Caller): Promise<void> {
    const asked = await caller.asked();
    const terminal = caller.terminal(asked);
    const isOurs =
      asked.programId === PROGRAM_ID &&
      Object.entries(asked.settings).every(([name, digest]) => digestOfSetting(name) === digest);
    const command = isOurs ? await atTerminal(terminal, () => this.prepare(asked.words)) : null;
    if (command === null) {
      caller.refuse();
      return;
    }
    while (this.running >= MOST_COMMANDS) {
      await pause(LOOK_MS);
    }
    this.running += 1;
    try {
      await caller.take();
      socket.setTimeout(0);
      await atTerminal(terminal, command);
      socket.setTimeout(READING_MS);
      await caller.exit(terminal.exitCode);
    } finally {
      this.running -= 1;
    }
  }
}

function digestOfSetting(name: string): string {
  return digestOf(process.env[name] ?? '');
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
