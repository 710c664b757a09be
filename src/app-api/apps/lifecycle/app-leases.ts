import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { ExAppNotFound } from '../../app-api.errors.js';
import { ExAppBusy, LifecycleInterrupted } from './lifecycle.errors.js';
import { LifecyclePace } from './lifecycle-pace.js';
import { LifecycleRepository } from './lifecycle.repository.js';

export interface HoldOptions {
  /** Takes the app away from whoever has it; their work ends where it is. */
  readonly force?: boolean;
  /** Default: as long as a person may be expected to wait. */
  readonly waitMs?: number;
}

/**
 * One piece of work at a time on the state of an app, whichever process does it: the service, its
 * replicas, commands. Requests of the app itself need no lease and are served meanwhile.
 */
@Injectable()
export class AppLeases {
  readonly #stop = new AbortController();

  constructor(
    private readonly lifecycle: LifecycleRepository,
    private readonly pace: LifecyclePace,
  ) {}

  /**
   * @param purpose what others are told that the app is busy with: `enabling`
   * @param work ends when its signal does: the app was taken away, or the process stops
   * @throws ExAppBusy when the wait was in vain
   * @throws ExAppNotFound
   */
  async hold<Result>(
    appId: string,
    purpose: string,
    work: (signal: AbortSignal) => Promise<Result>,
    options: HoldOptions = {},
  ): Promise<Result> {
    const token = await this.#take(appId, purpose, options);
    const lost = new AbortController();
    const renewal = setInterval(
      () => void this.#renew(appId, token, lost),
      (this.pace.leaseSeconds * 1000) / 3,
    );
    try {
      return await work(AbortSignal.any([lost.signal, this.#stop.signal]));
    } finally {
      clearInterval(renewal);
      await this.lifecycle.releaseLease(appId, token);
    }
  }

  get stopped(): AbortSignal {
    return this.#stop.signal;
  }

  /** Ends all work and takes on no more. */
  stop(): void {
    this.#stop.abort(new LifecycleInterrupted('The process is being stopped.'));
  }

  async #take(appId: string, purpose: string, options: HoldOptions): Promise<string> {
    const { force = false, waitMs = this.pace.leaseWaitMs } = options;
    const token = randomUUID();
    const seconds = this.pace.leaseSeconds;
    for (let waitedMs = 0; ; waitedMs += this.pace.leasePollMs) {
      this.#stop.signal.throwIfAborted();
      const request = { token, purpose, seconds, force };
      const refusal = await this.lifecycle.takeLease(appId, request);
      if (refusal === null) {
        return token;
      }
      if (refusal === 'gone') {
        throw new ExAppNotFound(appId);
      }
      if (waitedMs >= waitMs) {
        throw new ExAppBusy(appId, refusal.busyWith);
      }
      await this.pace.pause(this.pace.leasePollMs, this.#stop.signal);
    }
  }

  async #renew(appId: string, token: string, lost: AbortController): Promise<void> {
    // A database that is away for a moment is no reason to give up; the lease outlasts it.
    const held = await this.lifecycle
      .renewLease(appId, token, this.pace.leaseSeconds)
      .catch(() => true);
    if (!held) {
      lost.abort(new LifecycleInterrupted('Somebody else has taken over the work on the app.'));
    }
  }
}
