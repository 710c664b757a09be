import { Injectable } from '@nestjs/common';
import net from 'node:net';
import { Config } from '../../../common/config/config.js';
import { AddressPolicy } from '../../../common/http/address-policy.js';
import { AddressNotAllowed } from '../../../common/http/outgoing-errors.js';
import { OutgoingHttp } from '../../../common/http/outgoing-http.js';
import { ExAppUninstallHooks } from '../../../common/ports/hooks.js';
import type { SqlRunner } from '../../../database/database.js';
import {
  PermanentJobFailure,
  type JobAttempt,
  type JobKind,
} from '../../../database/jobs/job-kind.js';
import { JobQueue } from '../../../database/jobs/job-queue.js';
import { ExAppClient } from '../../apps/client/ex-app-client.service.js';
import { ExAppsRepository } from '../../apps/ex-apps.repository.js';
import type { ProcessingTask, TaskWebhook } from '../queue/processing-task.entity.js';
import { toTaskJson } from '../queue/processing-task.wire.js';
import { ProcessingTasksRepository } from '../queue/processing-tasks.repository.js';
import { TaskQueue } from '../queue/task-queue.service.js';
import { InvalidTaskWebhook } from '../task-processing.errors.js';

/** The job: one webhook of one ended task. */
interface WebhookCall {
  readonly taskId: number;
}

type Verb = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** Whom a webhook calls. */
type Target =
  | { readonly verb: Verb; readonly url: string }
  | { readonly verb: Verb; readonly appId: string; readonly route: string };

const ANSWER_SECONDS = 30;
/** Wait for the commit; after this time, workers poll for jobs anyway. */
const COMMIT_MS = 2000;

export const WEBHOOK_CALLS: JobKind<WebhookCall> = {
  name: 'task-webhook',
  deadlineSeconds: 24 * 3600,
  retryDelaySeconds: 2,
  longestRetryDelaySeconds: 900,
  attemptSeconds: 45,
  parallel: 6,
  // A receiver that hangs leaves workers for the others.
  parallelPerGroup: 2,
};

/** Permanent failures: the receiver will never accept this call. */
const REFUSALS = new Set([400, 401, 403, 404, 405, 410, 413, 415, 422]);

/**
 * Notifies consumers that a task has ended: durably, and only once the end is stored.
 *
 * @see docs/app-api-tasks.md "Webhooks of tasks"
 */
@Injectable()
export class TaskWebhooks {
  readonly #policy: AddressPolicy;

  constructor(
    private readonly tasks: ProcessingTasksRepository,
    private readonly apps: ExAppsRepository,
    private readonly client: ExAppClient,
    private readonly outgoing: OutgoingHttp,
    private readonly jobs: JobQueue,
    private readonly queue: TaskQueue,
    config: Config,
    uninstallHooks: ExAppUninstallHooks,
  ) {
    this.#policy = new AddressPolicy(config.fetchAllowPrivate);
    jobs.carryOut(WEBHOOK_CALLS, (job) => this.#call(job));
    queue.onEnd((task, tx) => this.#store(task, tx));
    uninstallHooks.add(async (appId) => {
      await jobs.forget(WEBHOOK_CALLS, { group: groupOf({ appId }) });
    });
  }

  /**
   * Validates a consumer's webhook. An app can only name itself, since apps trust requests of the gateway.
   *
   * @param appId the app that schedules the task; undefined for a user
   * @returns null without method and address
   * @throws InvalidTaskWebhook
   */
  parse(method: string | null, uri: string | null, appId: string | undefined): TaskWebhook | null {
    if (method === null && uri === null) {
      return null;
    }
    const webhook = { method: method ?? '', uri: uri ?? '' };
    const target = targetOf(webhook);
    if (target === null) {
      throw new InvalidTaskWebhook(
        'A webhook is HTTP:POST with an absolute address, or AppAPI:APPID:POST with a path that begins with /; GET, PUT and DELETE are possible, too.',
      );
    }
    if ('appId' in target && target.appId !== appId) {
      throw new InvalidTaskWebhook('Only the app itself can schedule a task that calls it back.');
    }
    if ('url' in target && this.#isPrivate(new URL(target.url))) {
      throw new InvalidTaskWebhook('The address of the webhook is not on the public internet.');
    }
    return webhook;
  }

  /** Names are checked when they are resolved, at every call. */
  #isPrivate({ hostname }: URL): boolean {
    const host = hostname.replace(/^\[|\]$/g, '');
    const address = /(?:^|\.)localhost\.?$/i.test(host) ? '127.0.0.1' : host;
    return net.isIP(address) !== 0 && this.#policy.judge(address) === 'refused';
  }

  async #store({ id, webhook }: ProcessingTask, tx: SqlRunner): Promise<void> {
    const target = webhook && targetOf(webhook);
    if (target !== null) {
      const group = groupOf(target);
      await this.jobs.send(WEBHOOK_CALLS, [{ key: group, group, payload: { taskId: id } }], tx);
      void this.#wakeAfterCommit(id);
    }
  }

  /** The end is announced after the commit, when workers can see the job. */
  async #wakeAfterCommit(taskId: number): Promise<void> {
    await this.queue.pauseUntilEnd(taskId, COMMIT_MS, new AbortController().signal);
    this.jobs.wake(WEBHOOK_CALLS);
  }

  async #call({ payload, signal }: JobAttempt<WebhookCall>): Promise<void> {
    const task = await this.tasks.find(payload.taskId);
    const target = task?.webhook && targetOf(task.webhook);
    // No webhook for a deleted task.
    if (!task || !target) {
      return;
    }
    const status = await this.#send(task, target, signal);
    if (status >= 200 && status < 300) {
      return;
    }
    const complaint = `The webhook of task ${task.id} answered with status ${status}`;
    const isFinal = REFUSALS.has(status) || (status >= 300 && status < 400);
    throw isFinal ? new PermanentJobFailure(complaint) : new Error(complaint);
  }

  /** @returns the status of the answer; its body is ignored */
  async #send(task: ProcessingTask, target: Target, signal: AbortSignal): Promise<number> {
    const json = { task: toTaskJson(task) };
    const { verb: method } = target;
    if ('url' in target) {
      return this.#request(target.url, method, JSON.stringify(json), signal);
    }
    const app = await this.apps.find(target.appId);
    if (!app?.enabled) {
      throw new PermanentJobFailure(`The external app "${target.appId}" is disabled`);
    }
    const { route } = target;
    const userId = task.userId ?? '';
    const timeoutSeconds = ANSWER_SECONDS;
    return this.client.tell(app, { method, route, userId, json, timeoutSeconds, signal });
  }

  async #request(url: string, method: Verb, body: string, signal: AbortSignal): Promise<number> {
    try {
      const { status } = await this.outgoing.request({
        url,
        method,
        headers: { accept: 'application/json', 'content-type': 'application/json' },
        body,
        timeoutSeconds: ANSWER_SECONDS,
        maxRedirects: 0,
        discardsBody: true,
        signal,
      });
      return status;
    } catch (error) {
      throw error instanceof AddressNotAllowed ? new PermanentJobFailure(error.message) : error;
    }
  }
}

/** @returns null if it is no webhook */
function targetOf({ method, uri }: TaskWebhook): Target | null {
  const [, appId, verb] = /^(?:HTTP|AppAPI:([^:]+)):(GET|POST|PUT|DELETE)$/.exec(method) ?? [];
  if (!isVerb(verb)) {
    return null;
  }
  if (appId !== undefined) {
    return uri.startsWith('/') ? { verb, appId, route: uri } : null;
  }
  const url = URL.parse(uri);
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? { verb, url: url.href } : null;
}

function isVerb(verb: string | undefined): verb is Verb {
  return verb !== undefined;
}

/** Receivers are called side by side, a slow one with few calls at a time. */
function groupOf(target: Target | { readonly appId: string }): string {
  return 'appId' in target ? `app/${target.appId}` : `host/${new URL(target.url).host}`;
}
