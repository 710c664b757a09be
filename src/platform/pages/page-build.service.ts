import { Injectable } from '@nestjs/common';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { inPackage } from '../../common/package-root.js';
import { PagesNotBuilt } from './pages.errors.js';

/** Output of `vite build web`. */
export const PAGES_FOLDER = inPackage('web/dist');

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
  /** Modules that the script imports, and its first dynamic imports. */
  readonly preloads: readonly string[];
  readonly styles: readonly string[];
}

/** Looks up the built files, whose names contain fingerprints. */
@Injectable()
export class PageBuild {
  #manifest: Promise<z.output<typeof Manifest>> | undefined;

  /**
   * @param entry source file, for instance `src/main.ts`
   * @param next source files that the entry imports dynamically as soon as it runs; others than the
   *   build's are ignored
   * @throws PagesNotBuilt
   */
  async filesOf(entry: string, next: readonly string[] = []): Promise<PageFiles> {
    const manifest = await this.#read();
    const chunk = PagesNotBuilt.unless(manifest[entry]);
    const names = new Set<string>();
    const collect = (name: string) => {
      if (!names.has(name)) {
        names.add(name);
        manifest[name]?.imports.forEach(collect);
      }
    };
    [entry, ...next].forEach(collect);
    const chunks = [...names].flatMap((name) => manifest[name] ?? []);
    return {
      script: chunk.file,
      preloads: chunks.filter((each) => each !== chunk).map(({ file }) => file),
      styles: [...new Set(chunks.flatMap(({ css }) => css))],
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
