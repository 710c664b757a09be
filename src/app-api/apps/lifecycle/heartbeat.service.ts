import { Injectable } from '@nestjs/common';
import { ExAppUnreachable } from '../../app-api.errors.js';
import { addressOf, ExAppClient, type ExAppAnswer } from '../../client/ex-app-client.js';
import { hintForAnswer, hintForSilence } from '../../client/fault-hints.js';
import { LifecyclePace } from './lifecycle-pace.js';
import type { ExApp } from '../ex-apps.repository.js';

const MAX_SHOWN_CHARACTERS = 300;

/** One attempt to find out whether an app lives, with everything an operator asks about it. */
export interface Heartbeat {
  readonly alive: boolean;
  /** The address tried. */
  readonly address: string;
  /** HTTP status; null when nothing answered. */
  readonly status: number | null;
  /** Beginning of the answer. */
  readonly body: string;
  /** A sentence; empty when the app lives. */
  readonly error: string;
}

/** Asks apps for a sign of life. */
@Injectable()
export class HeartbeatService {
  constructor(
    private readonly client: ExAppClient,
    private readonly pace: LifecyclePace,
  ) {}

  /** Never throws because of the app. */
  async check(app: ExApp): Promise<Heartbeat> {
    const address = addressOf(app, 'heartbeat');
    try {
      const answer = await this.client.heartbeat(app, this.pace.heartbeatTimeoutSeconds);
      const alive = answer.status === 200 && jsonField(answer, 'status') === 'ok';
      return {
        alive,
        address,
        status: answer.status,
        body: shown(answer),
        error: alive
          ? ''
          : sentences(
              answerAsSentence('GET', address, answer),
              'Expected 200 and {"status":"ok"}.',
              hintForAnswer(app.appId, answer),
            ),
      };
    } catch (error) {
      if (error instanceof ExAppUnreachable) {
        const complaint = sentences(error.message, hintForSilence(error));
        return { alive: false, address, status: null, body: '', error: complaint };
      }
      throw error;
    }
  }
}

/** What an app answered, and what to check, in sentences for operators. */
export function describeAnswer(
  app: ExApp,
  method: string,
  route: string,
  answer: ExAppAnswer,
): string {
  const what = answerAsSentence(method, addressOf(app, route), answer);
  return sentences(what, hintForAnswer(app.appId, answer));
}

function sentences(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(' ');
}

function answerAsSentence(method: string, address: string, answer: ExAppAnswer): string {
  const body = shown(answer);
  return `${method} ${address} answered ${answer.status}${body === '' ? ' and nothing else' : `: ${body}`}.`;
}

/** A field of an answer in JSON; undefined when there is none. */
export function jsonField(answer: ExAppAnswer, name: string): unknown {
  try {
    const parsed: unknown = JSON.parse(answer.body.toString('utf8'));
    return typeof parsed === 'object' && parsed !== null ? Reflect.get(parsed, name) : undefined;
  } catch {
    return undefined;
  }
}

function shown(answer: ExAppAnswer): string {
  const text = answer.body
    .subarray(0, 4 * MAX_SHOWN_CHARACTERS)
    .toString('utf8')
    .trim();
  return text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS)}…` : text;
}
