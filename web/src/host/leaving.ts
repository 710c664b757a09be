import { requestOcs } from './http.js';
import { showLeaving } from './page-context.js';

/** Whether and how the account of the visitor is deleted. */
export interface Leaving {
  /** `elsewhere`: those who manage the directory of the account decide. */
  readonly policy: 'off' | 'ask' | 'days' | 'elsewhere';
  readonly days: number | null;
  /** Unix seconds; null: not asked. */
  readonly askedSeconds: number | null;
  /** Unix seconds; null: undecided, or not asked. */
  readonly leavesSeconds: number | null;
}

const PATH = '/core/leaving';

export const leavingNow = (): Promise<Leaving> => requestOcs<Leaving>(PATH);

/** If it has a date, the session ends. */
export const askToLeave = (): Promise<Leaving> => requestOcs<Leaving>(PATH, { method: 'POST' });

export async function keepAccount(): Promise<void> {
  await requestOcs(PATH, { method: 'DELETE' });
  showLeaving(0);
}
