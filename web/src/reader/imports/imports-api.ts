import { requestJson } from '../../host/http.js';
import { change, NEWS_ROOT } from '../model/news-request.js';
import { upload } from '../opml/opml-api.js';

/** Counts of what a file holds, and of what an import did. */
export type ImportCounts = Readonly<Record<string, number>>;

/** An import of a file of another program; see docs/news-api.md "Imports". */
export interface FileImport {
  readonly id: number;
  readonly program: string;
  readonly state: 'preview' | 'running' | 'done' | 'cancelled' | 'undoing' | 'undone';
  /** Unix seconds. */
  readonly createdAt: number;
  readonly rows: number;
  readonly doneRows: number;
  readonly canBeUndone: boolean;
  readonly hasFeedList: boolean;
  readonly preview: ImportCounts;
  readonly outcome: ImportCounts;
  readonly leftOut: readonly { readonly reason: string; readonly count: number }[];
  /** The first 100; not in lists. */
  readonly places?: readonly { readonly place: string; readonly reason: string }[];
  readonly feeds?: readonly {
    readonly url: string;
    readonly title: string | null;
    readonly feedId: number | null;
  }[];
  /** Of an archive of Gatefold, what comes behind its articles; not in lists. */
  readonly rest?: {
    readonly state: 'waiting' | 'working' | 'done' | 'failed';
    readonly problem: string | null;
  } | null;
}

/** Whether it will change by itself. */
export function isUnderWay({ state, rest }: FileImport): boolean {
  return (
    ['running', 'undoing'].includes(state) || ['waiting', 'working'].includes(rest?.state ?? '')
  );
}

interface Answer {
  readonly import: FileImport;
}

/** Newest first. */
export async function fileImports(): Promise<readonly FileImport[]> {
  const { imports } = await requestJson<{ imports: FileImport[] }>(`${NEWS_ROOT}/imports`);
  return imports;
}

export async function fileImport(id: number): Promise<FileImport> {
  return (await requestJson<Answer>(`${NEWS_ROOT}/imports/${id}`)).import;
}

/** Sends a file and says what it holds. @throws ImportRefused */
export async function readFile(file: File, onSent: (part: number) => void): Promise<FileImport> {
  const headers = { 'Content-Type': 'application/octet-stream', Accept: 'application/json' };
  const answer = await upload('imports', file, headers, { sent: onSent });
  return (JSON.parse(answer) as Answer).import;
}

export async function act(id: number, action: 'start' | 'undo'): Promise<FileImport> {
  return (await change<Answer>('POST', `/imports/${id}/${action}`)).import;
}

/** Stops one that is under way; forgets any other. */
export async function removeImport(id: number): Promise<void> {
  await change('DELETE', `/imports/${id}`);
}

/** Whether a file is a list of feeds, which is imported at once. */
export async function isOpml(file: File): Promise<boolean> {
  const head = await file.slice(0, 4_096).text();
  return /<opml[\s>]/i.test(head.replaceAll('\0', ''));
}
