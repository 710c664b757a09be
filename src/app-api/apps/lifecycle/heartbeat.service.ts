import { Injectable } from '@nestjs/common';
import { ExAppUnreachable } from '../../app-api.errors.js';
import {
  type ExAppAnswer,
  hintForAnswer,
  hintForSilence,
  jsonField,
} from '../client/ex-app-answer.js';
import { addressOf, ExAppClient } from '../client/ex-app-client.service.js';
import type { ExApp } from '../ex-apps.repository.js';
import { LifecyclePace } from './lifecycle-pace.service.js';

const MAX_SHOWN_CHARACTERS = 300;

/** The result of one connection check. */
export interface Heartbeat {
  readonly alive: boolean;
  readonly address: string;
  /** HTTP status; null without a response. */
  readonly status: number | null;
  /** The first 300 characters of the response. */
  readonly body: string;
  /** Empty if the app is alive. */
  readonly error: string;
}

/** Connection checks: `GET /heartbeat`. */
@Injectable()
export class HeartbeatService {
  constructor(
    private readonly client: ExAppClient,
    private readonly pace: LifecyclePace,
  ) {}

  /** Does not throw for errors of the app. */
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

/** Describes an unexpected response for operators, with advice. */
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

function shown(answer: ExAppAnswer): string {
  const text = answer.body
    .subarray(0, 4 * MAX_SHOWN_CHARACTERS)
    .toString('utf8')
    .trim();
  return text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS)}…` : text;
}
