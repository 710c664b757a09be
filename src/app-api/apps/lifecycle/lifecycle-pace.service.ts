import { Injectable } from '@nestjs/common';
import { setTimeout as delay } from 'node:timers/promises';

/** Timeouts and intervals of the lifecycle, in one object that tests can change. */
@Injectable()
export class LifecyclePace {
  /** Attempts to reach an app that is being installed. */
  installHeartbeats = 600;
  /** Attempts to reach an app that is being enabled, whose process should be running. */
  enableHeartbeats = 30;
  heartbeatGapMs = 1000;
  heartbeatTimeoutSeconds = 3;
  /** Generous, because apps register and download things before they answer. */
  enabledTimeoutSeconds = 60;
  initTimeoutSeconds = 60;
  /** How long a caller waits for the work of another on the same app. */
  leaseWaitMs = 75_000;
  leasePollMs = 250;
  leaseSeconds = 30;
  readyPollMs = 200;

  /** @throws the reason of `signal` if it aborts the pause */
  async pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
    try {
      await delay(milliseconds, undefined, signal && { signal });
    } catch {
      signal?.throwIfAborted();
    }
  }
}
