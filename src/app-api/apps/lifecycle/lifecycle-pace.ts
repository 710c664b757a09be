import { Injectable } from '@nestjs/common';
import { setTimeout as delay } from 'node:timers/promises';

/** How patient the gateway is with apps. One object, so that a test can make it hurry. */
@Injectable()
export class LifecyclePace {
  /** Signs of life asked for until an app that is being installed has started. */
  installHeartbeats = 600;
  /** The same for an app that is being enabled, which should be running. */
  enableHeartbeats = 30;
  heartbeatGapMs = 1000;
  heartbeatTimeoutSeconds = 3;
  /** For an app that announces and fetches things before it answers. */
  enabledTimeoutSeconds = 60;
  initTimeoutSeconds = 60;
  /** How long a person waits for somebody else's work on the same app. */
  leaseWaitMs = 75_000;
  leasePollMs = 250;
  leaseSeconds = 30;
  readyPollMs = 200;

  /** @throws the reason of `signal` when that ends the pause */
  async pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
    try {
      await delay(milliseconds, undefined, signal && { signal });
    } catch {
      signal?.throwIfAborted();
    }
  }
}
