import { requestOcs } from '../../host/http.js';

export type FindingState = 'ok' | 'warning' | 'error' | 'off';

export interface Finding {
  readonly state: FindingState;
  /** In English. */
  readonly text: string;
  readonly advice?: string;
}

export interface CheckedSubject {
  /** In English. */
  readonly subject: string;
  readonly findings: readonly Finding[];
}

/** Examines the installation, which takes some seconds when apps do not answer. */
export function checkInstallation(): Promise<CheckedSubject[]> {
  return requestOcs<CheckedSubject[]>('/apps/gatefold/api/v1/checks');
}
