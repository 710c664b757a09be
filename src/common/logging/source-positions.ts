import { existsSync, readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const PLACE = /file:\/\/[^\s()]+\.js:\d+:\d+/g;

/**
 * Replaces places in bundled files of a folder by the file and line of the source, such as
 * `src/news/feeds/feeds.service.ts:12:3`. Node.js would keep the maps of all files in memory; here each is
 * read when a stack trace is logged, and kept until the next garbage collection.
 */
export class SourcePositions {
  readonly #maps = new Map<string, WeakRef<SourceMap>>();

  constructor(private readonly folder: string) {}

  inStack(stack: string): string {
    return stack.replaceAll(PLACE, (place) => this.#sourceOf(place) ?? place);
  }

  #sourceOf(place: string): string | undefined {
    const [, url = '', line, column] = /^(.*):(\d+):(\d+)$/.exec(place) ?? [];
    const file = fileURLToPath(url);
    const map = path.dirname(file) === this.folder ? this.#mapOf(file) : undefined;
    const origin = map?.findOrigin(Number(line), Number(column));
    return origin !== undefined && 'fileName' in origin
      ? `${origin.fileName.replace(/^(\.\.\/)+/, '')}:${origin.lineNumber}:${origin.columnNumber}`
      : undefined;
  }

  #mapOf(file: string): SourceMap | undefined {
    const kept = this.#maps.get(file)?.deref();
    if (kept !== undefined || !existsSync(`${file}.map`)) {
      return kept;
    }
    const map = new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8')) as SourceMapPayload);
    this.#maps.set(file, new WeakRef(map));
    return map;
  }
}
