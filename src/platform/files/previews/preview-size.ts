import { z } from 'zod';

/** The size of a preview, in pixels. */
export interface PreviewSize {
  readonly width: number;
  readonly height: number;
  /** Fills the size and cuts off the rest; otherwise the whole picture fits into it. */
  readonly crop: boolean;
}

const LARGEST_PIXELS = 2048;

const Pixels = z.coerce.number().int().positive().optional().catch(undefined);

/** `x`, `y`, and `a` for the whole picture; other values count as absent. */
export const SizeParameters = {
  x: Pixels,
  y: Pixels,
  a: z.string().optional().catch(undefined),
};

/** @returns null when no size is requested: the picture itself */
export function readSize(parameters: {
  readonly x?: number | undefined;
  readonly y?: number | undefined;
  readonly a?: string | undefined;
}): PreviewSize | null {
  const width = parameters.x ?? parameters.y;
  const height = parameters.y ?? parameters.x;
  if (width === undefined || height === undefined) {
    return null;
  }
  const scale = Math.min(1, LARGEST_PIXELS / Math.max(width, height));
  return {
    width: Math.max(1, Math.round(width * scale)),
    height: Math.max(1, Math.round(height * scale)),
    crop: !/^(?:1|true)$/i.test(parameters.a ?? ''),
  };
}
