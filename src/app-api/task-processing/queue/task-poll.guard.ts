import { createParamDecorator, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { hash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { GatewayAuthenticator } from '../../../common/auth/gateway-authenticator.js';
import { Clock } from '../../../common/clock.js';
import type { IdentifiedRequest } from '../../../common/http/current-user.decorator.js';
import { gatherInput, parseInput, requestWithBody } from '../../../common/http/input.decorator.js';
import { orElse, wholeNumberThat } from '../../../common/http/loose-inputs.js';
import type { CallingApp } from '../../../common/ports/app-credentials.js';
import { GatewayAuthGuard } from '../../apps/access/ocs-gateway-controller.decorator.js';
import { ExAppsRepository } from '../../apps/ex-apps.repository.js';
import { TaskQueue } from './task-queue.service.js';

const MOST_NAMES = 1000;
/** Inputs have at most 2 MiB each, so that a batch stays below 50 MiB. */
const MOST_TASKS = 20;

const names = orElse(
  z.preprocess(
    (sent) => (typeof sent === 'string' ? [sent] : sent),
    z.array(z.string(), { error: 'must be a list of texts' }).max(MOST_NAMES),
  ),
  [],
);

const Names = z.object({ providerIds: names, taskTypeIds: names });

/** A poll's task types and providers, as sent. */
export const Wish = Names.extend({
  numberOfTasks: orElse(
    wholeNumberThat((int) => int.min(1)).transform((number) => Math.min(number, MOST_TASKS)),
    1,
  ),
});

/** A poll's names, from the query and the body of the GET together. */
export interface SentWish {
  readonly providerIds: readonly string[];
  readonly typeIds: readonly string[];
  /** Maximum number of tasks. */
  readonly most: number;
}

/** @throws InvalidInput; also errors of `InputBodies` */
async function readWish(context: ExecutionContext): Promise<SentWish> {
  const { query, body } = await requestWithBody(context);
  const inQuery = gatherInput({ query, params: {} });
  const inBody = gatherInput({ query: {}, params: {}, body });
  const { providerIds, taskTypeIds, numberOfTasks } = parseInput(Wish, { ...inQuery, ...inBody });
  const inQueryToo = parseInput(Names, inQuery);
  return {
    providerIds: [...new Set([...providerIds, ...inQueryToo.providerIds])],
    typeIds: [...new Set([...taskTypeIds, ...inQueryToo.taskTypeIds])],
    most: numberOfTasks,
  };
}

const TRUSTED_MS = 30_000;
const RECORDED_EVERY_MS = 30_000;

interface Verified {
  readonly digest: string;
  readonly app: CallingApp;
  readonly untilMs: number;
  /** Time of the last record that the app asks for tasks. */
  readonly recordedMs: number;
}

/** Requests that this guard admitted for the answer "no task". */
const IDLE = new WeakSet<object>();

/**
 * Authenticates apps that ask for tasks, without a statement where nothing is scheduled.
 *
 * Credentials that were verified within the last 30 seconds suffice for the answer "nothing", although the
 * app may have been disabled, or its secret changed, since: the answer has no data, and `Wished` is null
 * then, so that the controller cannot claim. Whenever there may be a task, the credentials are verified as
 * for every other request.
 *
 * Every 30 seconds it records that the app asks, for `app_api:doctor`.
 */
@Injectable()
export class TaskPollGuard extends GatewayAuthGuard {
  readonly #key = randomBytes(32).toString('base64');
  /** Keyed by app; only apps with valid credentials are added. */
  readonly #verified = new Map<string, Verified>();

  constructor(
    authenticator: GatewayAuthenticator,
    reflector: Reflector,
    private readonly queue: TaskQueue,
    private readonly apps: ExAppsRepository,
    private readonly clock: Clock,
  ) {
    super(authenticator, reflector);
  }

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<IdentifiedRequest>();
    const digest = this.#digest(request);
    const known = this.#verified.get(request.get('ex-app-id') ?? '');
    if (known?.digest === digest && this.clock.now().getTime() < known.untilMs) {
      request.callingApp = known.app;
      if (await this.queue.hasNothingFor(known.app.appId, await readWish(context))) {
        IDLE.add(request);
        return true;
      }
    }
    await super.canActivate(context);
    const { callingApp: app } = request;
    if (app !== undefined) {
      const nowMs = this.clock.now().getTime();
      let { recordedMs } = this.#verified.get(app.appId) ?? { recordedMs: 0 };
      if (nowMs - recordedMs >= RECORDED_EVERY_MS) {
        await this.apps.noteTasksAsked(app.appId);
        recordedMs = nowMs;
      }
      this.#verified.set(app.appId, { digest, app, untilMs: nowMs + TRUSTED_MS, recordedMs });
    }
    return true;
  }

  /** Digest of all inputs of `GatewayAuthenticator`. */
  #digest(request: IdentifiedRequest): string {
    const headers = ['ex-app-id', 'ex-app-version', 'authorization-app-api'];
    const sent = headers.map((name) => request.get(name) ?? '');
    return hash('sha256', `${this.#key}${JSON.stringify(sent)}`, 'base64');
  }
}

/** Injects the `SentWish`, or null for the answer "no task". */
export const Wished = createParamDecorator((_data: unknown, context: ExecutionContext) =>
  IDLE.has(context.switchToHttp().getRequest<object>()) ? null : readWish(context),
);
