import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { inPackage } from '../../src/common/package-root.js';
import type { SceneKind } from './demo-pictures.js';
import type { SoundKind } from './demo-sounds.js';

/** One file of `tools/demo/content`. */
export interface DemoFeed {
  /** The first part of its addresses: the file name. */
  readonly name: string;
  readonly title: string;
  readonly about: string;
  readonly language: string;
  readonly format: 'rss' | 'atom' | 'json';
  readonly author: string;
  /** Hue of its icon and pictures, in degrees. */
  readonly hue: number;
  readonly items: readonly DemoItem[];
}

export interface DemoItem {
  readonly slug: string;
  readonly title: string;
  /** Age at the start of the demo. */
  readonly hoursAgo: number;
  readonly html: string;
  readonly author?: string;
  /** Subject of its picture. */
  readonly scene?: SceneKind;
  readonly sound?: SoundKind;
}

const FOLDER = inPackage('tools/demo/content');
const HOUR_MS = 3_600_000;

export async function readDemoFeeds(): Promise<DemoFeed[]> {
  const files = (await readdir(FOLDER)).filter((file) => file.endsWith('.json')).toSorted();
  return Promise.all(
    files.map(async (file) => ({
      ...(JSON.parse(await readFile(path.join(FOLDER, file), 'utf8')) as Omit<DemoFeed, 'name'>),
      name: file.replace('.json', ''),
    })),
  );
}

export function publishedAt({ hoursAgo }: DemoItem, startedMs: number): Date {
  return new Date(startedMs - hoursAgo * HOUR_MS);
}

/** The body of an article, with its picture. */
export function bodyOf(
  feed: DemoFeed,
  { slug, title, scene, html }: DemoItem,
  base: string,
): string {
  const picture = `<p><img src="${base}/${feed.name}/${slug}.jpg" alt="${escape(title)}" width="960" height="540"></p>`;
  return scene === undefined ? html : picture + html;
}

export function escape(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
