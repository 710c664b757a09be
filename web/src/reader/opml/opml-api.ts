import { requestJson, sentInSession } from '../../host/http.js';
import { addressOf, page } from '../../host/page-context.js';
import { NEWS_ROOT } from '../model/news-request.js';

export interface OpmlImportResult {
  readonly imported: number;
  readonly alreadyThere: number;
  readonly invalid: readonly {
    readonly title: string;
    readonly url: string;
    readonly reason: string;
  }[];
  /** Number of further ones, which are not listed. */
  readonly moreInvalid?: number;
  /** Settings of other readers that became nothing. */
  readonly notTaken?: readonly {
    readonly title: string;
    readonly url: string;
    readonly attribute: string;
    readonly reason: string;
  }[];
  readonly moreNotTaken?: number;
  /** Identifies the feeds of this import for `importProgress`. */
  readonly after: number;
}

export interface ImportProgress {
  readonly feeds: number;
  readonly fetched: number;
  readonly failing: number;
  /** The first of the failing feeds. */
  readonly failures: readonly {
    readonly feedId: number;
    readonly title: string;
    readonly url: string;
    readonly reason: string;
  }[];
}

/** Progress of an import: the part of the file sent (0 to 1), then the number of subscriptions. */
export type ImportStep =
  | { readonly step: 'sending'; readonly sent: number }
  | { readonly step: 'subscribing'; readonly done: number; readonly total: number };

/**
 * @param startUnread the newest articles of each feed that are unread; null: all
 * @throws ImportRefused
 */
export async function importOpml(
  file: File,
  startUnread: number | null,
  onProgress: (step: ImportStep) => void,
): Promise<OpmlImportResult> {
  const query = startUnread === null ? '' : `?startUnread=${startUnread}`;
  const headers = { 'Content-Type': 'text/x-opml', Accept: 'application/x-ndjson' };
  const answer = await upload(`opml/import${query}`, file, headers, {
    sent: (sent) => onProgress({ step: 'sending', sent }),
    answering: (text) => {
      const latest = importLines(text).at(-1);
      if (latest?.step === 'subscribing') {
        onProgress(latest);
      }
    },
  });
  const last = importLines(answer).at(-1);
  if (last?.step !== 'subscribed') {
    throw new ImportRefused('');
  }
  return last;
}

interface UploadListener {
  /** The part of the file that is sent, 0 to 1. */
  sent(part: number): void;
  /** The answer so far. */
  answering?(text: string): void;
}

/**
 * Sends a file with progress, which `fetch` does not report.
 *
 * @param path below `NEWS_ROOT`
 * @returns the answer
 * @throws ImportRefused
 */
export async function upload(
  path: string,
  file: File,
  headers: Readonly<Record<string, string>>,
  listener: UploadListener,
): Promise<string> {
  const { status, responseText } = await sentInSession(() => send(path, file, headers, listener));
  if (status !== 200) {
    throw new ImportRefused((readAnswer(responseText) as { message?: string }).message ?? '');
  }
  return responseText;
}

function send(
  path: string,
  file: File,
  headers: Readonly<Record<string, string>>,
  listener: UploadListener,
): Promise<XMLHttpRequest> {
  const sending = new XMLHttpRequest();
  return new Promise((resolve, reject) => {
    sending.upload.addEventListener('progress', ({ loaded, total }) =>
      listener.sent(loaded / total),
    );
    sending.addEventListener('progress', () => listener.answering?.(sending.responseText));
    sending.addEventListener('load', () => resolve(sending));
    sending.addEventListener('error', () => reject(new ImportRefused('')));
    sending.open('POST', addressOf(`${NEWS_ROOT}/${path}`));
    for (const [name, value] of Object.entries(headers)) {
      sending.setRequestHeader(name, value);
    }
    sending.setRequestHeader('requesttoken', page.requestToken);
    sending.send(file);
  });
}

type ImportLine =
  | Extract<ImportStep, { step: 'subscribing' }>
  | ({ readonly step: 'subscribed' } & OpmlImportResult);

/** The complete lines of a partial answer. */
function importLines(text: string): ImportLine[] {
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  return whole
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as ImportLine);
}

/** Progress of fetching the imported feeds. @param after from the result of the import */
export function importProgress(after: number): Promise<ImportProgress> {
  return requestJson<ImportProgress>(`${NEWS_ROOT}/opml/progress`, { query: { after } });
}

/** The import failed; the message is the service's, or empty. */
export class ImportRefused extends Error {}

function readAnswer(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
