/**
 * The current time. Injected wherever a decision depends on time, so that tests can set it.
 * Timestamps that order data (lastModified) come from the database instead.
 */
export class Clock {
  now(): Date {
    return new Date();
  }

  nowSeconds(): number {
    return Math.floor(this.now().getTime() / 1000);
  }
}
