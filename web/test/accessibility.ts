import type { ElementHandle, Frame, Page } from '@playwright/test';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** axe-core is what `@axe-core/playwright` brings. */
const AXE = readFileSync(
  createRequire(createRequire(import.meta.url).resolve('@axe-core/playwright')).resolve(
    'axe-core/axe.min.js',
  ),
  'utf8',
);

/** Which part of a document is examined, in the words of axe-core. */
type Context = object;

/** In a frame, after `AXE` was run there. */
interface Axe {
  runPartial(context: Context): Promise<object>;
  finishRun(partials: readonly (object | null)[]): Promise<{ violations: readonly Violation[] }>;
  readonly utils: {
    getFrameContexts(
      context: Context,
    ): { readonly frameSelector: unknown; readonly frameContext: Context }[];
    shadowSelect(selector: unknown): object | null;
  };
}

export interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly target: unknown }[];
}

/**
 * Of the document and the documents in its frames, of any impact. The builder of `@axe-core/playwright`
 * leaves out a frame whose script is not there within a second, and parses axe-core anew each time.
 */
export async function violationsOf(page: Page): Promise<readonly Violation[]> {
  const partials = await partialsOf(page.mainFrame(), { exclude: [] });
  const { violations } = await page.evaluate(
    (all) => (globalThis as unknown as { axe: Axe }).axe.finishRun(all),
    partials,
  );
  return violations;
}

/** What axe-core saw in a frame, followed by what it saw in the frames inside; null for one without a document. */
async function partialsOf(frame: Frame, context: Context): Promise<(object | null)[]> {
  if (!(await frame.evaluate(() => 'axe' in globalThis))) {
    await frame.evaluate(AXE);
  }
  const inside = await frame.evaluate(
    (given) => (globalThis as unknown as { axe: Axe }).axe.utils.getFrameContexts(given),
    context,
  );
  const partials: (object | null)[] = [
    await frame.evaluate(
      (given) => (globalThis as unknown as { axe: Axe }).axe.runPartial(given),
      context,
    ),
  ];
  for (const { frameSelector, frameContext } of inside) {
    const element = await frame.evaluateHandle(
      (selector) => (globalThis as unknown as { axe: Axe }).axe.utils.shadowSelect(selector),
      frameSelector,
    );
    const child = await (element.asElement() as ElementHandle | null)?.contentFrame();
    partials.push(...(child ? await partialsOf(child, frameContext) : [null]));
  }
  return partials;
}
