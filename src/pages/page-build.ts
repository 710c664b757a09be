import { Injectable } from '@nestjs/common';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { PagesNotBuilt } from './pages.errors.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** What `vite build web` writes. */
export const PAGES_FOLDER = path.join(ROOT, 'web/dist');

const Manifest = z.record(
  z.string(),
  z.object({
    file: z.string(),
    css: z.array(z.string()).default([]),
    imports: z.array(z.string()).default([]),
  }),
);

/** Files that a document refers to, by their paths below `PAGES_FOLDER`. */
export interface PageFiles {
  readonly script: string;
  /** Fetched along with the script, because it needs them at once. */
  readonly preloads: readonly string[];
  readonly styles: readonly string[];
}

/** Knows which files make up the pages, whose names change with their contents. */
@Injectable()
export class PageBuild {
  #manifest: Promise<z.output<typeof Manifest>> | undefined;

  /**
   * @param entry source file, for instance `src/main.ts`
   * @throws PagesNotBuilt
   */
  async filesOf(entry: string): Promise<PageFiles> {
    const manifest = await this.#read();
    const chunk = manifest[entry];
    if (chunk === undefined) {
      throw new PagesNotBuilt();
    }
    const imported = new Set<string>();
    const styles = new Set<string>();
    const collect = (name: string) => {
      const part = manifest[name];
      part?.imports
        .filter((other) => !imported.has(other))
        .forEach((other) => {
          imported.add(other);
          collect(other);
        });
      part?.css.forEach((file) => styles.add(file));
    };
    collect(entry);
    return {
      script: chunk.file,
      preloads: [...imported].flatMap((name) => manifest[name]?.file ?? []),
      styles: [...styles],
    };
  }

  #read(): Promise<z.output<typeof Manifest>> {
    this.#manifest ??= readFile(path.join(PAGES_FOLDER, 'manifest.json'), 'utf8').then(
      (text) => Manifest.parse(JSON.parse(text)),
      () => {
        // Looked for again with the next request: a developer may be building them right now.
        this.#manifest = undefined;
        throw new PagesNotBuilt();
      },
    );
    return this.#manifest;
  }
}
