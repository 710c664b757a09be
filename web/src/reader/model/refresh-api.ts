import { request, RequestFailed } from '../../host/http.js';
import { CLIENT_HEADER, NEWS_ROOT } from './news-request.js';
import type { Selection } from './selection.js';

export interface RefreshProgress {
  readonly done: number;
  readonly total: number;
}

/** Numbers of feeds, except `newItems`. */
export interface RefreshResult {
  readonly feeds: number;
  readonly asked: number;
  readonly newItems: number;
  /** Feeds that have them. */
  readonly newFeeds: number;
  readonly failures: readonly {
    readonly feedId: number;
    readonly title: string;
    readonly message: string;
  }[];
  /** Skipped, because fetched recently. */
  readonly fresh: number;
  /** Skipped, because the publisher asked for a pause. */
  readonly resting: number;
  /** Left to the schedule. */
  readonly left: number;
}

type RefreshLine =
  | ({ readonly step: 'fetching' } & RefreshProgress)
  | ({ readonly step: 'fetched' } & RefreshResult);

/**
 * Fetches the feeds of a list now. New items arrive with the next synchronisation.
 *
 * @param onProgress number of feeds done so far
 */
export async function refreshFeeds(
  selection: Selection,
  onProgress: (progress: RefreshProgress) => void,
): Promise<RefreshResult> {
  const response = await request(`${NEWS_ROOT}${refreshPath(selection)}`, {
    method: 'POST',
    headers: { ...CLIENT_HEADER, Accept: 'application/x-ndjson' },
  });
  let result: RefreshResult | null = null;
  for await (const text of linesOf(response)) {
    const line = JSON.parse(text) as RefreshLine;
    if (line.step === 'fetched') {
      result = line;
    } else {
      onProgress(line);
    }
  }
  if (result === null) {
    throw new RequestFailed('', 0);
  }
  return result;
}

function refreshPath(selection: Selection): string {
  switch (selection.of) {
    case 'feed':
      return `/feeds/${selection.feedId}/refresh`;
    case 'folder':
      return `/folders/${selection.folderId}/refresh`;
    default:
      return '/feeds/refresh';
  }
}

/** The lines of a streamed answer. */
async function* linesOf(response: Response): AsyncGenerator<string> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const next = await reader?.read();
    if (next?.value === undefined) {
      return;
    }
    const lines = (rest + next.value).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}
