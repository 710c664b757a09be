// Has a command run by the service that runs on the same data folder, without loading the program: see
// src/cli/command-socket.ts. Has to be understood by Node.js 18, as bin/gatefold.mjs.
import { createHash } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { connect } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';

/** A service that does not take the command by then is busy or stopped; the command runs here. */
const PATIENCE_MILLISECONDS = 2000;

/** More is refused. */
const LONGEST_MESSAGE = 250_000;

const SETTING = /^(?:GATEFOLD|DATABASE)_(?!DATA_DIR$)/;

/** What reads an answer; a service that ends leaves it open. */
let question;

/** Where a service would listen; null without one, or if it is another user's. */
export function findSocket() {
  const host = digestOf(os.hostname()).slice(0, 8);
  const folder = path.resolve(process.env.GATEFOLD_DATA_DIR || './data');
  const place = path.join(folder, `command-${host}.sock`);
  const user = process.getuid?.();
  try {
    const found = lstatSync(place);
    return found.isSocket() && (found.uid === user || user === 0) ? place : null;
  } catch {
    // There is none, or the folder is another user's.
    return null;
  }
}

/**
 * Resolves with true when the command has ended, with its exit status set, and with false if the service has
 * not begun it.
 */
export function runInService(place, programId, words) {
  const { promise, resolve } = withResolvers();
  const socket = connect(place);
  const say = (message) => socket.write(`${JSON.stringify(message)}\n`);
  let isTaken = false;
  let exitCode;
  const patience = setTimeout(() => socket.destroy(), PATIENCE_MILLISECONDS);
  const hear = (message) => {
    if (message.isTaken === true) {
      isTaken = true;
      clearTimeout(patience);
      say({ go: true });
    } else if (message.isTaken === false) {
      socket.destroy();
    } else if (message.exitCode !== undefined) {
      exitCode = message.exitCode;
    } else if (message.ask !== undefined) {
      answerTo(message).then((answer) => say({ answer }));
    } else {
      // What is printed next waits until this has been.
      const name = message.stdout === undefined ? 'stderr' : 'stdout';
      if (!process[name].write(message[name])) {
        socket.pause();
        process[name].once('drain', () => socket.resume());
      }
    }
  };
  let held = '';
  socket.setEncoding('utf8').on('data', (text) => {
    const [first, ...others] = text.split('\n');
    held += first;
    for (const next of others) {
      hear(JSON.parse(held));
      held = next;
    }
  });
  const closed = (name) => (error) => {
    if (error.code !== 'EPIPE') {
      throw error;
    }
    // A reader such as `head` has enough.
    socket.resume();
    say({ closed: name });
  };
  const listeners = { stdout: closed('stdout'), stderr: closed('stderr') };
  socket.once('connect', () => {
    const asked = { programId, words, settings: settings(), ...terminal() };
    if (JSON.stringify(asked).length > LONGEST_MESSAGE) {
      socket.destroy();
      return;
    }
    for (const [name, listener] of Object.entries(listeners)) {
      process[name].on('error', listener);
    }
    say(asked);
  });
  socket.on('error', () => {});
  socket.once('close', () => {
    clearTimeout(patience);
    question?.close();
    if (!isTaken) {
      for (const [name, listener] of Object.entries(listeners)) {
        process[name].off('error', listener);
      }
    } else {
      if (exitCode === undefined) {
        process.stderr.write('The service ended before this command did.\n');
      }
      process.exitCode = exitCode ?? 1;
    }
    resolve(isTaken);
  });
  return promise;
}

function withResolvers() {
  const parts = {};
  parts.promise = new Promise((resolve) => {
    parts.resolve = resolve;
  });
  return parts;
}

/** As digests: the service compares those that are set here with its own. */
function settings() {
  const given = Object.entries(process.env).filter(([name, value]) => value && SETTING.test(name));
  return Object.fromEntries(given.map(([name, value]) => [name, digestOf(value)]));
}

function digestOf(text) {
  return createHash('sha256').update(text).digest('hex');
}

function terminal() {
  const { stdin, stdout, stderr } = process;
  return {
    isInteractive: Boolean(stdin.isTTY && stdout.isTTY),
    stdout: { isTTY: Boolean(stdout.isTTY), columns: stdout.columns },
    stderr: { isTTY: Boolean(stderr.isTTY), columns: stderr.columns },
  };
}

/** Resolves with null on Ctrl-C and Ctrl-D, and for a variable that is not set. */
function answerTo({ ask, what }) {
  if (ask === 'variable') {
    return Promise.resolve(process.env[what] ?? null);
  }
  const isSecret = ask === 'secret';
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  if (isSecret) {
    process.stdout.write(what);
  }
  const lines = createInterface(
    isSecret
      ? { input: process.stdin, output: nowhere, terminal: true }
      : { input: process.stdin, output: process.stdout },
  );
  question = lines;
  return new Promise((resolve) => {
    let isOver = false;
    const end = (answer) => {
      if (isOver) {
        return;
      }
      isOver = true;
      resolve(answer);
      lines.close();
      if (isSecret || answer === null) {
        process.stdout.write('\n');
      }
    };
    lines.once('SIGINT', () => end(null));
    lines.once('close', () => end(null));
    lines.question(isSecret ? '' : what, end);
  });
}
