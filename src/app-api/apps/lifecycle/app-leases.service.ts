import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { ExAppNotFound } from '../../app-api.errors.js';
import { LifecyclePace } from './lifecycle-pace.service.js';
import { ExAppBusy, LifecycleInterrupted } from './lifecycle.errors.js';
import { LifecycleRepository } from './lifecycle.repository.js';

interface HoldOptions {
  /** Takes the lease away from its holder, whose work is interrupted. */
  readonly force?: boolean;
  /** Default 75 seconds. */
  readonly waitMs?: number;
}

/** Leases on the state of an app: one holder at a time, across the service, its replicas and commands. */
@Injectable()
export class AppLeases {
  readonly #stop = new AbortController();

  constructor(
    private readonly leases: LifecycleRepository,
    private readonly pace: LifecyclePace,
  ) {}

  /**
   * @param purpose for the error message of others who want the lease: `being enabled`
   * @param work aborted when the lease is lost or the process stops
   * @throws ExAppBusy after waiting in vain
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
      await this.leases.releaseLease(appId, token);
    }
  }

  get stopped(): AbortSignal {
    return this.#stop.signal;
  }

  /** Interrupts all work and refuses new work. */
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
      const refusal = await this.leases.takeLease(appId, request);
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
    // The lease outlasts a short outage of the database.
    const held = await this.leases
      .renewLease(appId, token, this.pace.leaseSeconds)
      .catch(() => true);
    if (!held) {
      lost.abort(new LifecycleInterrupted('Somebody else has taken over the work on the app.'));
    }
  }
}
