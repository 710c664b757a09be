import { createHash } from 'node:crypto';
import type { Manifest } from '../../src/platform/transfer/archive-contents.js';
import { basic } from './api-client.js';
import { ok } from './news-client.js';
import { readZip } from './read-zip.js';
import type { TestUser } from './start-app.js';
import { until } from './until.js';

export const EXPORT = '/ocs/v2.php/apps/gatefold/api/v1/export';

interface ArchiveJson {
  readonly state: 'waiting' | 'working' | 'ready' | 'failed';
  readonly bytes: number;
  readonly problem: string | null;
}

/** The texts of an archive by their paths. */
export type ArchiveTexts = ReadonlyMap<string, string>;

export async function archiveShown(user: TestUser): Promise<ArchiveJson | null> {
  const { json } = await user.get(`${EXPORT}?format=json`);
  return (json as { ocs: { data: { archive: ArchiveJson | null } } }).ocs.data.archive;
}

/** Has an archive made, and downloads it when it is ready. @throws Error with the sentence of why it failed */
export async function takeEverything(
  user: TestUser,
  wish: { readonly files?: boolean; readonly secrets?: boolean } = {},
): Promise<Buffer> {
  await ok(user.post(EXPORT, wish));
  await untilReady(user);
  return download(user);
}

export async function untilReady(user: TestUser): Promise<void> {
  await until('the end of the export', async () => {
    const archive = await archiveShown(user);
    if (archive?.state === 'failed') {
      throw new Error(String(archive.problem));
    }
    return archive?.state === 'ready';
  });
}

export async function download(user: TestUser): Promise<Buffer> {
  const response = await fetch(`${user.baseUrl}${EXPORT}/file`, {
    headers: { authorization: basic(user.credentials) },
  });
  if (response.status !== 200) {
    throw new Error(`The archive was not sent: ${response.status}`);
  }
  return Buffer.from(await response.arrayBuffer());
}

/** @throws unless the manifest is last and names every entry with its size and digest */
export function readArchive(archive: Buffer): { texts: ArchiveTexts; manifest: Manifest } {
  const entries = readZip(archive).flatMap(([path, text]) =>
    path.endsWith('/') ? [] : [[path, text ?? ''] as const],
  );
  const [last, text] = entries.pop() ?? [];
  if (last !== 'manifest.json') {
    throw new Error(`The last entry is ${last}`);
  }
  const manifest = JSON.parse(text ?? '') as Manifest;
  const told = manifest.entries.map(({ path, bytes, sha256 }) => `${path} ${bytes} ${sha256}`);
  const there = entries.map(
    ([path, text]) =>
      `${path} ${Buffer.byteLength(text)} ${createHash('sha256').update(text).digest('hex')}`,
  );
  if (told.join('\n') !== there.join('\n')) {
    throw new Error(`The manifest says\n${told.join('\n')}\nbut there is\n${there.join('\n')}`);
  }
  return { texts: new Map(entries), manifest };
}

export function linesOf(text = ''): unknown[] {
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as unknown);
}
