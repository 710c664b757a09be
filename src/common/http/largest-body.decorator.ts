import { SetMetadata, type ExecutionContext } from '@nestjs/common';
import { MIB } from '../units.js';

/** Default maximum body of users and external apps. */
export const USUAL_BODY_BYTES = MIB;

/** Suffices for the flags of ten thousand items in one request, and for large values of apps. */
const LARGE_BODY_BYTES = 4 * MIB;

const LARGEST_BODY = 'gatefold:largest-body-bytes';

/**
 * Raises the limit of JSON and forms to 4 MiB for authenticated senders, on a route or controller.
 */
export const TakesLargeBodies = (): ClassDecorator & MethodDecorator =>
  SetMetadata(LARGEST_BODY, LARGE_BODY_BYTES);

/** Maximum JSON or form of a route from authenticated senders, in bytes. */
export function largestBodyOf(context: ExecutionContext): number {
  const said = [context.getHandler(), context.getClass()].map(
    (target) => Reflect.getMetadata(LARGEST_BODY, target) as number | undefined,
  );
  return said.find((bytes) => bytes !== undefined) ?? USUAL_BODY_BYTES;
}
