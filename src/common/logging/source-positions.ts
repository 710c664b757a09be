import { existsSync, readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

/** File, line and column of a place, after its folder. */
const PLACE = /^([\w.-]+\.js):(\d+):(\d+)/;

/**
 * Replaces places in bundled files of a folder by the file and line of the source, such as
 * `src/news/feeds/feeds.service.ts:12:3`. Node.js would keep the maps of all files in memory; here each is
 * read when a stack trace is logged, and kept until the next garbage collection.
 */
export class SourcePositions {
  readonly #maps = new Map<string, WeakRef<SourceMap>>();
  readonly #url: string;

  constructor(private readonly folder: string) {
    this.#url = `${pathToFileURL(folder).href}/`;
  }

  /** @param stack its message may be anything, of any length */
  inStack(stack: string): string {
    const [before = '', ...places] = stack.split(this.#url);
    return before + places.map((place) => this.#inPlace(place)).join('');
  }

  /** @param text what follows the address of the folder */
  #inPlace(text: string): string {
    const [place = '', name = '', line, column] = PLACE.exec(text) ?? [];
    const source = name && this.#sourceOf(name, Number(line), Number(column));
    return source ? source + text.slice(place.length) : this.#url + text;
  }

  #sourceOf(name: string, line: number, column: number): string | undefined {
    const origin = this.#mapOf(path.join(this.folder, `${name}.map`))?.findOrigin(line, column);
    return origin !== undefined && 'fileName' in origin
      ? `${origin.fileName.replace(/^(\.\.\/)+/, '')}:${origin.lineNumber}:${origin.columnNumber}`
      : undefined;
  }

  #mapOf(file: string): SourceMap | undefined {
    const kept = this.#maps.get(file)?.deref();
    if (kept !== undefined || !existsSync(file)) {
      return kept;
    }
    const map = new SourceMap(JSON.parse(readFileSync(file, 'utf8')) as SourceMapPayload);
    this.#maps.set(file, new WeakRef(map));
    return map;
  }
}
