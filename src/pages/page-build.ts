import { Injectable } from '@nestjs/common';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { PagesNotBuilt } from './pages.errors.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Output of `vite build web`. */
export const PAGES_FOLDER = path.join(ROOT, 'web/dist');

const Manifest = z.record(
  z.string(),
  z.object({
    file: z.string(),
    css: z.array(z.string()).default([]),
    imports: z.array(z.string()).default([]),
  }),
);

/** Files of a document, as paths below `PAGES_FOLDER`. */
export interface PageFiles {
  readonly script: string;
  /** Modules that the script imports. */
  readonly preloads: readonly string[];
  readonly styles: readonly string[];
}

/** Looks up the built files, whose names contain fingerprints. */
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
        // Not cached: a build may be in progress.
        this.#manifest = undefined;
        throw new PagesNotBuilt();
      },
    );
    return this.#manifest;
  }
}
